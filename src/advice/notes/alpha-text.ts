/**
 * Alpha as people write it: "1/16".
 */
export function alphaText(alpha: number): string {
  return alpha > 0 && alpha < 1 && Number.isInteger(1 / alpha) ? `1/${1 / alpha}` : String(alpha)
}
