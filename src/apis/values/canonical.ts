/**
 * JSON without white space, with the keys in order of their UTF-16 code units. Undefined keys are left out, and what
 * JSON cannot express is null. Values that are equal as JSON, and only these, give the same text.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    let text = "[";
    for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + canonicalJson(value[i]);
    return text + "]";
  }
  if (typeof value === "object" && value !== null) {
    let text = "";
    const record = value as Record<string, unknown>;
    for (const key of Object.keys(record).sort()) {
      const member = record[key];
      if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
    }
    return `{${text}}`;
  }
  return JSON.stringify(value) ?? "null";
}

function rotate(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

/** Makes every bit of the input count in every bit of the output. */
function avalanche(x: number): number {
  let h = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function hex(x: number): string {
  return (x >>> 0).toString(16).padStart(8, "0");
}

/**
 * 64 bits over the UTF-16 code units of a text, as 16 hexadecimal digits, after the manner of MurmurHash3; not
 * cryptographic. Hashes stand on member objects: with another function every one of them would be written again.
 */
export function hashOfText(text: string): string {
  let a = 0x9e3779b9 | 0;
  let b = 0x7f4a7c15 | 0;
  for (let i = 0; i < text.length; i += 2) {
    // Beyond the end charCodeAt gives NaN, which the shift turns into 0. The length, which is added below, keeps such
    // texts apart.
    const word = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
    a ^= Math.imul(rotate(Math.imul(word, 0x239b961b), 15), 0xab0e9789);
    a = (Math.imul((rotate(a, 19) + b) | 0, 5) + 0x561ccd1b) | 0;
    b ^= Math.imul(rotate(Math.imul(word, 0x38b34ae5), 16), 0xa1e38b93);
    b = (Math.imul((rotate(b, 17) + a) | 0, 5) + 0x0bcaa747) | 0;
  }
  a = (a ^ text.length) | 0;
  b = (b ^ text.length) | 0;
  a = (a + b) | 0;
  b = (b + a) | 0;
  a = avalanche(a);
  b = avalanche(b);
  a = (a + b) | 0;
  b = (b + a) | 0;
  return hex(a) + hex(b);
}

/** Equal for values that are equal as JSON. */
export function hashOf(value: unknown): string {
  return hashOfText(canonicalJson(value));
}
