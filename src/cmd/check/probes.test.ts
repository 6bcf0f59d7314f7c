import { describe, expect, test } from "vitest";
import { serving } from "../../runtime/testing/serving.ts";
import { sendJson } from "../../runtime/testing/testServer.ts";
import { clockSkew, THIS_MACHINE } from "./clock.ts";
import { askVersion } from "./probes.ts";

const never = new AbortController().signal;

async function asked(gitVersion: unknown, aheadMs = 0): ReturnType<typeof askVersion> {
  const { client } = await serving((_request, response) => {
    response.setHeader("date", new Date(Date.now() + aheadMs).toUTCString());
    sendJson(response, { gitVersion });
  });
  return await askVersion(client, never);
}

describe("a server is asked for its version and its clock", () => {
  test.each<{ name: string; aheadMs: number; want: number | undefined }>([
    { name: "a clock that is right is right", aheadMs: 0, want: undefined },
    { name: "a clock that is an hour ahead is ahead", aheadMs: 3_600_000, want: 1 },
    { name: "a clock that is an hour behind is behind", aheadMs: -3_600_000, want: -1 },
  ])("$name", async ({ aheadMs, want }) => {
    const { version, clock } = await asked("v1.35.4", aheadMs);
    const skew = clock === undefined ? 0 : clockSkew(clock, THIS_MACHINE);
    expect([version, skew === undefined ? undefined : Math.sign(skew)]).toEqual(["v1.35.4", want]);
  });

  test.each([["v1.35.4-eks\u001b[2J"], ["v1\n.35"], [35], [undefined], [`v1.${"1".repeat(5_000)}`]])(
    "%j is no version",
    async (gitVersion) => expect((await asked(gitVersion)).version).toBe(""),
  );
});
