/**
 * Number of items out of `total` that a share means: a whole number, or a percentage such as `34%`, in the form that
 * the schemas accept. `round` rounds a percentage.
 */
export function shareOf(share: number | string, total: number, round: (value: number) => number): number {
  return typeof share === "number" ? share : round((total * Number.parseInt(share, 10)) / 100);
}
