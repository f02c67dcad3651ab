/**
 * Runs commands of the built program one after the other in one process, as starting one takes longer than most of them:
 * reads lines { main, cwd, args }, and answers each with { code, stdout, stderr }.
 */
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'

const answer = process.stdout.write.bind(process.stdout)
let output = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr']) {
  process[name].setMaxListeners(0)
  process[name].write = (text) => {
    output[name] += text
    return true
  }
}
process.setMaxListeners(0)
// A command may end the process; here it ends its line.
process.exit = (code) => {
  throw new Error(`exit ${code}`)
}

let count = 0
for await (const line of createInterface({ input: process.stdin })) {
  const { main, cwd, args } = JSON.parse(line)
  output = { stdout: '', stderr: '' }
  process.chdir(cwd)
  process.argv = [process.argv[0], main, ...args]
  process.exitCode = 0
  // Another address is another module, which runs again.
  const folder = args.includes('--check')
    ? path.join(main, '..', '..', '..', 'dist-checked', 'cli')
    : path.dirname(main)
  await import(`${pathToFileURL(path.join(folder, 'program.js')).href}?${++count}`)
  answer(`${JSON.stringify({ code: process.exitCode, ...output })}\n`)
}
process.exitCode = 0
