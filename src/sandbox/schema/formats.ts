import { parseAddress, parsePrefix } from "./networkAddress.ts";
import { isDate, isDateTime, parseDurationFormat } from "./time.ts";
import { isRequestUri } from "./uri.ts";

/** String formats that the API server checks. Other formats accept any text. */

const UUID = (version: string, variant: string) =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i");
const uuid = UUID("[0-9a-f]", "[0-9a-f]");
const uuid3 = UUID("3", "[0-9a-f]");
const uuid4 = UUID("4", "[89ab]");
const uuid5 = UUID("5", "[89ab]");
const HOSTNAME =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const SSN = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/;
const HEX_COLOR = /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
const COLOR_PART = String.raw`\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`;
const RGB_COLOR = new RegExp(String.raw`^rgb\(${COLOR_PART},${COLOR_PART},${COLOR_PART}\)$`);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: isRequestUri,
  email: isEmail,
  hostname: (text) => HOSTNAME.test(text) && bytes(text) <= 255 && text.split(".").every((label) => bytes(label) <= 63),
  ipv4: (text) => text.includes(".") && parseAddress(text, "allowed") !== undefined,
  ipv6: (text) => text.includes(":") && parseAddress(text) !== undefined,
  cidr: (text) => parsePrefix(text, "allowed") !== undefined,
  mac: isMac,
  uuid: (text) => uuid.test(text),
  uuid3: (text) => uuid3.test(text),
  uuid4: (text) => uuid4.test(text),
  uuid5: (text) => uuid5.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && SSN.test(text),
  hexcolor: (text) => HEX_COLOR.test(text),
  rgbcolor: (text) => RGB_COLOR.test(text),
  byte: (text) => BASE64.test(text),
  password: () => true,
  date: isDate,
  duration: (text) => parseDurationFormat(text) !== undefined,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && SHORT_NAME.test(text),
  k8slongname: (text) => text.length <= 253 && LONG_NAME.test(text),
};

/** The check of a format; undefined for an unknown format, which accepts any text. */
export function formatCheck(format: string | undefined): ((text: string) => boolean) | undefined {
  if (format === undefined || format === "") return undefined;
  const name = format.replaceAll("-", "");
  return Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** An email address, optionally with a display name: `A <a@b.c>`. */
function isEmail(text: string): boolean {
  const [, bracketed] = /^[^<>@,;:\\[\]]*<([^<>]*)>$/.exec(text.trim()) ?? [];
  const address = bracketed ?? text.trim();
  return /^(?:[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+)*|"(?:[^"\\\r\n]|\\.)*")@(?:[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+)*|\[[^[\]\\]*\])$/u.test(
    address,
  );
}

/** EUI-48, EUI-64 and 20-octet InfiniBand addresses, in their three notations. */
function isMac(text: string): boolean {
  const groups =
    /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2})+$/.test(text) || /^[0-9a-fA-F]{2}(-[0-9a-fA-F]{2})+$/.test(text)
      ? text.split(/[:-]/)
      : /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(text)
        ? text.split(".").flatMap((group) => [group.slice(0, 2), group.slice(2)])
        : [];
  return [6, 8, 20].includes(groups.length);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, char, at) => total + (10 - at) * (char === "X" ? 10 : Number(char)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return Array.from(digits).reduce((total, char, at) => total + (at % 2 === 0 ? 1 : 3) * Number(char), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (const [at, char] of Array.from(digits).reverse().entries()) {
    const doubled = at % 2 === 1 ? Number(char) * 2 : Number(char);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
