/** A whole number, or a percentage such as `34%` of `total`, which `round` rounds. */
export function shareOf(share: number | string, total: number, round: (value: number) => number): number {
  return typeof share === "number" ? share : round((total * Number.parseInt(share, 10)) / 100);
}
