/**
 * Paths of fields that occur twice in one object of a JSON text, such as `spec.ports[0].name`; each path once.
 * JSON.parse silently takes the last value. The text must be valid JSON.
 */
export function repeatedFields(text: string): string[] {
  const repeated = new Set<string>();
  const open: { path: string; fields: Set<string> | undefined; index: number }[] = [];
  let pending = "";
  const pathOfValue = () => {
    const parent = open.at(-1);
    if (parent === undefined) return "";
    return parent.fields === undefined ? `${parent.path}[${parent.index}]` : pending;
  };
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b:
        open.push({ path: pathOfValue(), fields: new Set(), index: 0 });
        break;
      case 0x5b:
        open.push({ path: pathOfValue(), fields: undefined, index: 0 });
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
      case 0x2c: {
        const inside = open.at(-1);
        if (inside !== undefined) inside.index++;
        break;
      }
      case 0x22: {
        const end = endOfString(text, at);
        const inside = open.at(-1);
        if (inside?.fields !== undefined && followedByColon(text, end + 1)) {
          const name = JSON.parse(text.slice(at, end + 1)) as string;
          pending = inside.path === "" ? name : `${inside.path}.${name}`;
          if (inside.fields.has(name)) repeated.add(pending);
          inside.fields.add(name);
        }
        at = end;
        break;
      }
      default:
    }
  }
  return [...repeated];
}

/** Index of the closing quotation mark. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
}

function followedByColon(text: string, from: number): boolean {
  let at = from;
  while (/\s/.test(text.charAt(at))) at++;
  return text.charAt(at) === ":";
}
