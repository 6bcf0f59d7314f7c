import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { refuseEndpoint } from "./endpoint.ts";

describe("the server of a member", () => {
  test.each([
    "https://169.254.169.254",
    "http://169.254.0.1:80/latest",
    "https://2852039166",
    "https://0xa9.0xfe.0xa9.0xfe",
    "https://0251.0376.0251.0376",
    "https://[fe80::1]",
    "https://[FEBF::1]:6443",
    "https://[::ffff:169.254.169.254]",
    "https://[::169.254.169.254]",
    "https://[64:ff9b::169.254.169.254]",
    "https://[fd00:ec2::254]",
    "https://[fd00:0ec2:0:0::0254]",
    "https://100.100.100.200",
    "https://168.63.129.16",
    "https://metadata.google.internal",
    "https://METADATA.google.internal.:443",
    "not an address",
  ])("is refused at %s", (server) => expect(refuseEndpoint(server)).toMatch(/write/));

  test.each([
    "https://10.0.0.1:6443",
    "https://127.0.0.1:6443",
    "https://[::1]:6443",
    "https://169.255.0.1",
    "https://[fec0::1]",
    "https://[fd00:ec2::255]",
    "https://api.example.com",
    "https://metadata.example.com",
  ])("is taken at %s", (server) => expect(refuseEndpoint(server)).toBeUndefined());

  const byte = fc.integer({ min: 0, max: 255 });
  test.prop([byte, byte, fc.boolean()])(
    "is refused at every link-local address, however it is written",
    (a, b, asNumber) => {
      const host = asNumber ? String(((169 * 256 + 254) * 256 + a) * 256 + b) : `169.254.${a}.${b}`;
      expect(refuseEndpoint(`https://${host}:6443`)).toBeDefined();
    },
  );
});
