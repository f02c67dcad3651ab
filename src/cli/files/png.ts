/**
 * PNG: figures as pixels. The renderer is WebAssembly and the font a package, so a figure looks alike on every machine
 * and nothing has to be installed beside this program.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

/** Letters as wide as Arial's, which figures ask for first. */
const FAMILY = 'Arimo'
/** Pixels for each of the SVG's: sharp on a fine screen and in print. */
const ZOOM = 2

const require = createRequire(import.meta.url)
const FILES = {
  renderer: require.resolve('@resvg/resvg-wasm/index_bg.wasm'),
  fonts: [
    require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
    require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf'),
  ],
}

/** The renderer may be loaded once in a process. */
let loaded: Promise<void> | undefined

/** A maker of PNG files from SVG texts. */
export async function createPngMaker(): Promise<(svg: string) => Uint8Array> {
  loaded ??= initWasm(readFileSync(FILES.renderer))
  await loaded
  const fontBuffers = FILES.fonts.map((file) => new Uint8Array(readFileSync(file)))
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
