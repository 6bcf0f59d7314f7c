/** How many of `total` a whole number or a percentage such as `34%` comes to, as the schemas take it. A share is rounded by `round`. */
export function shareOf(share: number | string, total: number, round: (value: number) => number): number {
  return typeof share === "number" ? share : round((total * Number.parseInt(share, 10)) / 100);
}
