/**
 * Inlines constants across the modules of a built folder: `node scripts/inline.mjs FOLDER [CHECKED]`. In place, without
 * the assertions behind `if (CHECKED)` (src/base/assert.ts); and with them into a second folder, if one is named.
 * A constant that a module imports costs V8 two loads and two checks each time it is used, since a module's binding
 * might not be initialized yet; `data[packet | SIZE]` is everywhere, and inlining makes the simulator a seventh faster.
 * No file is moved, added or removed.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'

const folder = path.resolve(process.argv[2])
const input = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.js'))
  .map((name) => path.join(folder, name))
const SWITCH = 'const CHECKED = true'

/** Writes all modules to a folder, those on the path of every packet with or without their assertions. */
async function write(target, isChecked) {
  let switches = 0
  const bundle = await rolldown({
    input,
    platform: 'node',
    // Packages stay imports.
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    optimization: { inlineConst: { mode: 'all', pass: 2 } },
    plugins: [
      {
        name: 'checked',
        transform(code) {
          if (!code.includes(SWITCH)) return null
          switches++
          return code.replace(SWITCH, `const CHECKED = ${isChecked}`)
        },
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', preserveModules: true, preserveModulesRoot: folder })
  await bundle.close()
  if (switches !== 1) throw new Error(`inline: ${switches} modules have the switch of assertions`)
  return () => {
    for (const { fileName, code, source } of output) {
      mkdirSync(path.dirname(path.join(target, fileName)), { recursive: true })
      writeFileSync(path.join(target, fileName), code ?? source)
    }
  }
}

const outputs = [[folder, false], ...process.argv.slice(3).map((name) => [path.resolve(name), true])]
// All are read before one is written in place.
for (const put of await Promise.all(outputs.map(([target, isChecked]) => write(target, isChecked)))) put()
