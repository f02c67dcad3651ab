/**
 * Plain SVG: whether a stored figure holds nothing but what this program draws: shapes and texts. A figure with anything
 * else (a script, a style, an address) is not put on a page.
 */

const ELEMENTS = 'svg|g|rect|line|path|circle|polygon|polyline|text|tspan|title|desc'
const ATTRIBUTES =
  'xmlns|width|height|viewBox|role|transform|x|y|x1|x2|y1|y2|dx|dy|d|r|cx|cy|rx|ry|points|color|fill|fill-opacity|' +
  'stroke|stroke-[a-z]+|opacity|font-[a-z]+|text-anchor|dominant-baseline|aria-[a-z]+|data-[a-z]+'
const VALUE = `"[^"<>]*"|'[^'<>]*'`
const TAG = `<(?:${ELEMENTS})(?: (?:${ATTRIBUTES})=(?:${VALUE}))*\\s*/?>`
const PLAIN = new RegExp(`^<svg (?:(?:${TAG}|</(?:${ELEMENTS})>)|[^<>])*</svg>\\s*$`)
/** Colours and texts have none of these. */
const FOREIGN = /url\(|javascript:|&#/i

export function isPlainSvg(text: string): boolean {
  const [head = ''] = /^<svg [^<>]*>/.exec(text) ?? []
  return new RegExp(`^${TAG}$`).test(head) && PLAIN.test(`<svg ${text.slice(head.length)}`) && !FOREIGN.test(text)
}
