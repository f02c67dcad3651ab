/**
 * Inlines constants across the modules of a built folder, in place: `node scripts/inline.mjs FOLDER`.
 * A constant that a module imports costs V8 two loads and two checks each time it is used, since a module's binding
 * might not be initialized yet; `data[packet | SIZE]` is everywhere, and inlining makes the simulator a seventh faster.
 * No file is moved, added or removed.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'

const folder = path.resolve(process.argv[2])
const input = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.js'))
  .map((name) => path.join(folder, name))
const bundle = await rolldown({
  input,
  platform: 'node',
  // Packages stay imports.
  external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
  optimization: { inlineConst: { mode: 'all', pass: 2 } },
})
await bundle.write({ dir: folder, format: 'esm', preserveModules: true, preserveModulesRoot: folder })
await bundle.close()
