import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createPngMaker } from './png.ts'

const svgOf = (content: string): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20" viewBox="0 0 60 20" font-family=\'Helvetica, ' +
  `"DejaVu Sans", sans-serif'><rect width="60" height="20" fill="white"/>${content}</svg>`

/** Size and compressed pixels of a PNG: equal only for equal pictures. */
function decode(png: Uint8Array): { readonly width: number; readonly height: number; readonly rows: Buffer } {
  const bytes = Buffer.from(png)
  const parts: Buffer[] = []
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') {
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
    }
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), rows: inflateSync(Buffer.concat(parts)) }
}

test('text is drawn with the bundled font, in regular and bold, at twice the size of the SVG', async () => {
  const toPng = await createPngMaker()
  const draw = (text: string, style = ''): Buffer =>
    decode(toPng(svgOf(`<text x="2" y="15" font-size="14" ${style}>${text}</text>`))).rows
  expect(decode(toPng(svgOf('')))).toMatchObject({ width: 120, height: 40 })
  const empty = decode(toPng(svgOf(''))).rows
  const words = [draw('queue'), draw('eueuq'), draw('queue', 'font-weight="bold"')]
  expect(new Set([empty, ...words].map((rows) => rows.toString('base64'))).size).toBe(4)
  expect(draw('queue').equals(words[0]!)).toBe(true)
  // A second maker reuses the renderer that the first one loaded.
  expect((await createPngMaker())(svgOf(''))).toEqual(toPng(svgOf('')))
})
