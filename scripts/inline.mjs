/**
 * Inlines constants across the modules of a built folder: `node scripts/inline.mjs FOLDER [CHECKED]`. In place, without
 * the assertions behind `if (CHECKED)` (src/core/base/assert.ts); and with them into a second folder, if one is named.
 * A constant that a module imports costs V8 two loads and two checks each time it is used, since a module's binding
 * might not be initialized yet; `data[packet | SIZE]` is everywhere, and inlining makes the simulator a seventh faster.
 * No file is moved or removed. The plain program (src/core/transport/plain.ts) is added: what lab/simulation/plain-run.js reaches is
 * made with PLAIN true, too, and each module that differs then, or imports one that does, is in plain/ beside the rooms.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'

const folder = path.resolve(process.argv[2])
const input = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.js'))
  .map((name) => path.join(folder, name))
/** Constants of the source that a build decides. */
const CHECKED = { declared: 'const CHECKED = true', set: (to) => `const CHECKED = ${to}` }
const PLAIN = { declared: 'const PLAIN = false', set: (to) => `const PLAIN = ${to}` }
const PLAIN_ENTRY = 'lab/simulation/plain-run.js'

/** All modules, by file, with these values of the two constants. */
async function modules(isChecked, isPlain) {
  const switches = new Map([
    [CHECKED, isChecked],
    [PLAIN, isPlain],
  ])
  const found = []
  const bundle = await rolldown({
    input,
    // Most rooms also run in a browser; the helper of platform node would import node:module into them.
    platform: 'neutral',
    // Packages stay imports.
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    optimization: { inlineConst: { mode: 'all', pass: 2 } },
    plugins: [
      {
        name: 'switches',
        transform(code) {
          let written = code
          for (const [{ declared, set }, value] of switches) {
            if (!code.includes(declared)) continue
            found.push(declared)
            written = written.replace(declared, set(value))
          }
          return written === code ? null : written
        },
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', preserveModules: true, preserveModulesRoot: folder })
  await bundle.close()
  if (found.length !== switches.size) throw new Error(`inline: the source declares ${found.join(', ') || 'no switch'}`)
  return new Map(output.map((chunk) => [chunk.fileName, chunk]))
}

/** The plain program's own modules, by file, with imports of the shared ones; and its entry in place of the source's. */
function plainModules(full, plain, entry) {
  const below = entry.slice(0, -PLAIN_ENTRY.length)
  const reached = new Set([entry])
  for (const name of reached) for (const one of plain.get(name)?.imports ?? []) reached.add(one)
  const own = new Set([...reached].filter((name) => plain.get(name)?.code !== full.get(name)?.code))
  own.add(entry)
  for (let before = 0; before < own.size;) {
    before = own.size
    for (const name of reached) if (plain.get(name)?.imports.some((one) => own.has(one)) ?? false) own.add(name)
  }
  const placed = (name) => `${below}plain/${name.slice(below.length)}`
  const result = new Map()
  for (const name of own) {
    const { code, imports } = plain.get(name)
    const from = path.posix.dirname(placed(name))
    let written = code
    for (const one of imports.filter((each) => plain.has(each))) {
      const old = relative(path.posix.dirname(name), one)
      const now = relative(from, own.has(one) ? placed(one) : one)
      if (!written.includes(`"${old}"`)) throw new Error(`inline: ${name} does not import ${old}`)
      written = written.replaceAll(`"${old}"`, `"${now}"`)
    }
    result.set(placed(name), written)
  }
  result.set(entry, `export { createSimulation } from "${relative(path.posix.dirname(entry), placed(entry))}";\n`)
  return result
}

function relative(from, to) {
  const found = path.posix.relative(from, to)
  return found.startsWith('.') ? found : `./${found}`
}

/** Writes all modules to a folder, those on the path of every packet with or without their assertions. */
async function write(target, isChecked) {
  const entry = input.find((name) => name.endsWith(PLAIN_ENTRY.replaceAll('/', path.sep)))
  const full = await modules(isChecked, false)
  const plain = await modules(isChecked, true)
  const files = new Map([...full].map(([name, { code, source }]) => [name, code ?? source]))
  const entryName = path.relative(folder, entry).replaceAll(path.sep, '/')
  for (const [name, code] of plainModules(full, plain, entryName)) files.set(name, code)
  return () => {
    for (const [name, content] of files) {
      mkdirSync(path.dirname(path.join(target, name)), { recursive: true })
      writeFileSync(path.join(target, name), content)
    }
  }
}

const outputs = [[folder, false], ...process.argv.slice(3).map((name) => [path.resolve(name), true])]
// All are read before one is written in place.
for (const put of await Promise.all(outputs.map(([target, isChecked]) => write(target, isChecked)))) put()
