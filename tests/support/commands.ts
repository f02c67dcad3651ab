/** Commands of the built program, many in one process, each with a time limit: a start takes longer than most of them. */
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { type Ended, MAIN } from '../cli/program.ts'

const RUNNER = path.join(import.meta.dirname, 'runner.mjs')
/** The process is replaced then, as it keeps a copy of the program for each command. */
const COMMANDS_MAX = 100

export class Commands {
  #child: ChildProcess | undefined
  #lines: Interface | undefined
  #count = 0

  /** Runs `rocelab ARGS`; a code of null: it took longer than the time limit, or the process broke down. */
  async run(
    cwd: string,
    args: readonly string[],
    { main = MAIN, timeLimitMs = 120_000 }: { readonly main?: string; readonly timeLimitMs?: number } = {},
  ): Promise<Ended> {
    if (this.#child === undefined || this.#count >= COMMANDS_MAX) this.#start()
    this.#count++
    const [child, lines] = [this.#child!, this.#lines!]
    return new Promise((resolve) => {
      const end = (ended: Ended): void => {
        clearTimeout(timer)
        lines.removeAllListeners('line')
        child.removeAllListeners('exit')
        if (ended.code === null) this.stop()
        resolve(ended)
      }
      const timer = setTimeout(() => end({ code: null, stdout: '', stderr: 'time limit' }), timeLimitMs)
      lines.once('line', (line) => end(JSON.parse(line) as Ended))
      child.once('exit', () => end({ code: null, stdout: '', stderr: 'the process broke down' }))
      child.stdin!.write(`${JSON.stringify({ main, cwd, args })}\n`)
    })
  }

  stop(): void {
    this.#child?.removeAllListeners('exit')
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  #start(): void {
    this.stop()
    this.#count = 0
    this.#child = spawn(process.execPath, [RUNNER], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdin!.on('error', () => {})
    this.#lines = createInterface({ input: this.#child.stdout! })
  }
}
