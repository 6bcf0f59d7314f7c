import { isIP } from "node:net";
import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { containsAddress, formatAddress, formatPrefix, masked, parseAddress, parsePrefix } from "./networkAddress.ts";

test.prop([fc.oneof(fc.ipV4(), fc.ipV6())])("an address is read, written in Go's form and read again", (text) => {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${text} was not read`);
  const written = formatAddress(address);
  expect(isIP(written)).toBe(address.family);
  expect(parseAddress(written)).toEqual(address);
});

test.prop([fc.string({ unit: fc.constantFrom(...Array.from("0123456789abf.:")), maxLength: 20 })])(
  "agrees with Node on what is an address",
  (text) => {
    expect(parseAddress(text)?.family ?? 0).toBe(isIP(text));
  },
);

test.prop([fc.ipV4(), fc.integer({ min: 0, max: 32 })])(
  "a network holds its own address and its first one",
  (text, length) => {
    const prefix = parsePrefix(`${text}/${length}`);
    const address = parseAddress(text);
    if (prefix === undefined || address === undefined) throw new Error(`${text} was not read`);
    expect(containsAddress(prefix, address)).toBe(true);
    expect(containsAddress(prefix, masked(prefix).address)).toBe(true);
  },
);

test.each([
  ["::", "::"],
  ["0:0:1:0:0:0:0:1", "0:0:1::1"],
  ["2001:DB8::0:1", "2001:db8::1"],
  ["::ffff:10.0.0.1", "::ffff:10.0.0.1"],
  ["1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"],
])("%s is written %s", (text, written) => {
  const address = parseAddress(text);
  expect(address === undefined ? undefined : formatAddress(address)).toBe(written);
});

test.each(["10.0.0.0", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/08", "10.0.0.0/", "a/8"])(
  "%s is no network",
  (text) => {
    expect(parsePrefix(text)).toBeUndefined();
  },
);

test("leading zeros are taken only where the API server still takes them", () => {
  expect(parseAddress("010.0.0.1")).toBeUndefined();
  const prefix = parsePrefix("010.0.0.0/08", "allowed");
  expect(prefix === undefined ? undefined : formatPrefix(prefix)).toBe("10.0.0.0/8");
});
