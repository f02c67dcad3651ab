/**
 * Joins the modules of the command line in built folders, in place: `node scripts/join.mjs FOLDER...`.
 * Finding and opening four hundred files takes longer than most commands: joined, a command starts in half the time.
 * `cli/` becomes the start, the program, its worker and their shared modules; the other rooms, which are the library, stay as files.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'

/** Packages that draw: a command loads them when it draws, for they take as long to load as all the rest. */
const DRAWING = ['@observablehq/plot', '@mixmark-io/domino']

for (const folder of process.argv.slice(2)) {
  const cli = path.resolve(folder, 'cli')
  const bundle = await rolldown({
    input: {
      main: path.join(cli, 'main.js'),
      program: path.join(cli, 'program.js'),
      worker: path.join(cli, 'workers', 'worker.js'),
    },
    platform: 'node',
    // Packages stay imports.
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
  })
  const { output } = await bundle.generate({ format: 'esm', chunkFileNames: '[name].js' })
  await bundle.close()
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  for (const entry of output.filter((chunk) => chunk.isEntry)) {
    const reached = new Set([entry.fileName])
    for (const name of reached) for (const imported of chunks.get(name)?.imports ?? []) reached.add(imported)
    const early = DRAWING.filter((name) => reached.has(name))
    if (early.length > 0) {
      process.stderr.write(`join: ${entry.fileName} loads ${early.join(' and ')} at its start: import() what draws\n`)
      process.exit(1)
    }
  }
  rmSync(cli, { recursive: true })
  mkdirSync(cli)
  for (const { fileName, code } of output) writeFileSync(path.join(cli, fileName), code)
}
