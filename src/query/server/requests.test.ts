import { expect, test } from "vitest";
import { checkWay, parametersOf } from "./requests.ts";

test.each<{ remoteAddress: string; isEncrypted: boolean; isTaken: boolean }>([
  { remoteAddress: "10.1.2.3", isEncrypted: true, isTaken: true },
  { remoteAddress: "127.0.0.1", isEncrypted: false, isTaken: true },
  { remoteAddress: "::ffff:127.0.0.1", isEncrypted: false, isTaken: true },
  { remoteAddress: "::1", isEncrypted: false, isTaken: true },
  { remoteAddress: "10.1.2.3", isEncrypted: false, isTaken: false },
  { remoteAddress: "::ffff:10.1.2.3", isEncrypted: false, isTaken: false },
  { remoteAddress: "2001:db8::1", isEncrypted: false, isTaken: false },
])("a token from $remoteAddress is taken: $isTaken (with TLS: $isEncrypted)", ({ isTaken, ...way }) => {
  const check = (): void => checkWay(way);
  if (isTaken) expect(check).not.toThrow();
  else expect(check).toThrow("in the clear");
});

test.each([
  { url: "/federatedobjects", want: [] },
  {
    url: "/federatedobjects?limit=1&sort=name",
    want: [
      ["limit", "1"],
      ["sort", "name"],
    ],
  },
  {
    url: "/federatedobjects?cel=object.ready>1?true:false&limit=1",
    want: [
      ["cel", "object.ready>1?true:false"],
      ["limit", "1"],
    ],
  },
])("the parameters of $url are whole, also with a question mark in a value", ({ url, want }) => {
  expect([...parametersOf(url)]).toEqual(want);
});
