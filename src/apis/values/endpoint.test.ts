import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { isRefusedHost, refuseEndpoint } from "./endpoint.ts";

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
    "https://[fd20:ce::254]",
    "https://[2002:a9fe:a9fe::1]",
    "https://0.0.0.0:6443",
    "https://[::]",
    "https://metadata.goog",
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
    "https://[2002:a00:1::1]",
    "https://10.0.0.0",
    "https://api.example.com",
    "https://metadata.example.com",
  ])("is taken at %s", (server) => expect(refuseEndpoint(server)).toBeUndefined());

  test.each([
    ["https://metadata.goog", "metadata.goog is a cloud's metadata service, not a cluster"],
    ["https://169.254.1.1", "169.254.1.1 is a link-local address, which is valid only on the local link"],
    ["https://0.10.200.30", "0.10.200.30 is the address of no machine in particular"],
    ["nothing", "is not an address; write one such as https://api.example.com:6443"],
  ])("of %s is named, with the reason", (server, message) => {
    const advice = "; write the address of the cluster's API server";
    expect(refuseEndpoint(server)).toBe(message.includes("write") ? message : `${message}${advice}`);
  });

  test.each([
    "https://a.169.254.1.1.example.com",
    "https://169.254.1.1.example.com",
    "https://x-169.254.1.example.com",
    "https://[1::fe80:1]",
    "https://[2001:db8::ffff:a9fe:a9fe]",
    "https://[64:ff9b::a9fe:a9fe:0:1]",
    "https://[1:2002:a9fe:a9fe::1]",
  ])("is taken at %s, which only looks like one", (server) => expect(refuseEndpoint(server)).toBeUndefined());

  test.each([
    "169.254.169.254",
    "fe80::1",
    "fe80::1%eth0",
    "[fe80::1]",
    "::ffff:169.254.169.254",
    "FD00:EC2::254",
    "metadata",
    "Metadata.google.internal.",
    "0.0.0.0",
    "::",
    "",
    "no host",
  ])("is refused as %s, however it was come by", (host) => expect(isRefusedHost(host)).toBe(true));

  test.each(["10.0.0.1", "127.0.0.1", "::1", "fd00::1", "2001:db8::1", "api.example.com", "localhost"])(
    "is taken as %s",
    (host) => expect(isRefusedHost(host)).toBe(false),
  );

  const byte = fc.integer({ min: 0, max: 255 });
  test.prop([byte, byte, fc.boolean()])(
    "is refused at every link-local address, however it is written",
    (a, b, asNumber) => {
      const host = asNumber ? String(((169 * 256 + 254) * 256 + a) * 256 + b) : `169.254.${a}.${b}`;
      expect(refuseEndpoint(`https://${host}:6443`)).toBeDefined();
    },
  );
});
