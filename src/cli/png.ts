/**
 * PNG: figures as pixels. The renderer is WebAssembly and the font a package, so a figure looks alike on every machine
 * and nothing has to be installed beside this program.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

/** Letters as wide as Arial's, which figures ask for first. */
const FAMILY = 'Arimo'
const FONTS = ['400Regular/Arimo_400Regular.ttf', '700Bold/Arimo_700Bold.ttf']
/** Pixels for each of the SVG's: sharp on a fine screen and in print. */
const ZOOM = 2

/** The renderer may be loaded once in a process. */
let loaded: Promise<void> | undefined

/** A maker of PNG files from SVG texts. */
export async function createPngMaker(): Promise<(svg: string) => Uint8Array> {
  const { resolve } = createRequire(import.meta.url)
  loaded ??= initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')))
  await loaded
  const fontBuffers = FONTS.map((name) => new Uint8Array(readFileSync(resolve(`@expo-google-fonts/arimo/${name}`))))
  const font = { fontBuffers, defaultFontFamily: FAMILY, sansSerifFamily: FAMILY }
  return (svg) => {
    const renderer = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: ZOOM } })
    const image = renderer.render()
    const png = image.asPng()
    image.free()
    renderer.free()
    return png
  }
}
