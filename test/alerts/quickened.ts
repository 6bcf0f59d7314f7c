import type { RuleGroup } from "./promtool.ts";

/** What differs for one alert, for thresholds in units of time that no test should wait for. */
export interface Changes {
  /** Texts of the expression and what stands in their place. */
  replace?: Record<string, string>;
  /** Seconds in place of each range of the expression. */
  range?: number;
}

export interface Quickening {
  /** How many times faster the time of the rules runs. */
  times: number;
  /** Seconds: no range is shorter, since a rate needs samples. */
  shortest: number;
  alerts: Record<string, Changes>;
}

/** The same rules with shorter ranges and shorter `for`. Throws where an alert of `alerts`, or a text to replace, is not there. */
export function quickened(groups: readonly RuleGroup[], { times, shortest, alerts }: Quickening): RuleGroup[] {
  const left = new Map(Object.entries(alerts));
  const result = groups.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) => {
      const { replace = {}, range } = left.get(rule.alert) ?? {};
      left.delete(rule.alert);
      let expr = rule.expr.replaceAll(/\[(\w+)\]/g, (_, text: string) => {
        return `[${range ?? Math.max(shortest, Math.round(secondsOf(text) / times))}s]`;
      });
      for (const [text, other] of Object.entries(replace)) {
        if (!expr.includes(text)) throw new Error(`${rule.alert} has no "${text}" in ${expr}`);
        expr = expr.replaceAll(text, other);
      }
      if (rule.for === undefined) return { ...rule, expr };
      return { ...rule, expr, for: `${Math.max(1, Math.round(secondsOf(rule.for) / times))}s` };
    }),
  }));
  if (left.size > 0) throw new Error(`no alerts ${[...left.keys()].join()}`);
  return result;
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600 };

function secondsOf(text: string): number {
  const [, number, unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  const seconds = UNITS[unit];
  if (number === undefined || seconds === undefined) throw new Error(`${text} is no duration`);
  return Number(number) * seconds;
}
