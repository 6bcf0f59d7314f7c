import { expect, test } from "vitest";
import { CredentialsError } from "../errors.ts";
import { guardedLookup } from "./address.ts";

const resolve = (name: string) =>
  new Promise<unknown>((settle) => guardedLookup(name, { all: true }, (error, found) => settle(error ?? found)));

test("names that lead to loopback are resolved", async () => {
  await expect(resolve("localhost")).resolves.toEqual(
    expect.arrayContaining([expect.objectContaining({ family: expect.any(Number) })]),
  );
});

test("names that lead to a link-local address are refused, whatever they are called", async () => {
  // The resolver takes an address for a name that leads to itself.
  await expect(resolve("169.254.169.254")).resolves.toBeInstanceOf(CredentialsError);
});
