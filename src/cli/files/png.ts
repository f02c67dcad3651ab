/**
 * PNG: renders SVG figures. Renderer (WebAssembly) and font are packages, so a figure looks the same on every machine and
 * needs no system software.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

/** Metric-compatible with Arial, the first choice of the figures. */
const FAMILY = 'Arimo'
/** PNG pixels per SVG pixel in each direction: sharp on high-resolution screens and in print. */
const ZOOM = 2

const require = createRequire(import.meta.url)
const FILES = {
  renderer: require.resolve('@resvg/resvg-wasm/index_bg.wasm'),
  fonts: [
    require.resolve('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
    require.resolve('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf'),
  ],
}

/** The renderer may be initialized only once per process. */
let loaded: Promise<void> | undefined

/** Returns a function from SVG text to PNG bytes. */
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
