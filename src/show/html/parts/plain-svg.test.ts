/** Stored figures: those of this program may stand on a page, others may not. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isPlainSvg } from './plain-svg.ts'

const HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">'
const FOLDER = path.join(import.meta.dirname, '../../../../docs/experiments')

test('every figure of the experiments in docs is plain', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.svg'))
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((name) => !isPlainSvg(readFileSync(path.join(FOLDER, name), 'utf8')))).toEqual([])
})

test('shapes and texts are plain', () => {
  expect(isPlainSvg(`${HEAD}<g fill="red"><text x="1">a &lt; b</text></g></svg>\n`)).toBe(true)
})

test.each([
  '<script>alert(1)</script>',
  '<g onclick="alert(1)"></g>',
  '<g style="fill:red"></g>',
  '<style>g{fill:red}</style>',
  '<image href="http://example.org/a.png"/>',
  '<a href="#x"></a>',
  '<g fill="url(#x)"></g>',
  '<foreignObject><p>a</p></foreignObject>',
  '</svg><p>a</p><svg>',
  '<!-- a -->',
  '<g fill=red></g>',
])('%s is not', (inner) => {
  expect(isPlainSvg(`${HEAD}${inner}</svg>`)).toBe(false)
})

test('a root with a handler is not, nor is a text that is no picture', () => {
  expect(isPlainSvg('<svg onload="alert(1)"></svg>')).toBe(false)
  expect(isPlainSvg('<html></html>')).toBe(false)
})
