/**
 * Records: scores of earlier runs, a line each. A line of the same program is the score; of an older program it still
 * gives the truth of the incident, where the generator is the same.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExamName, Scored } from './exams.ts'
import type { Form } from './seeds.ts'

/** Files of the score that decide about no incident. */
const NO_GENERATOR: ReadonlySet<string> = new Set(
  'answer damage exams main match one options records right said seeds show table vendor-table vendors worker'
    .split(' ')
    .map((name) => `${name}.js`),
)

interface Line {
  readonly program: string
  readonly generator: string
  /** Kinds of which incidents were drawn. */
  readonly kinds: string
  readonly score: Scored
}

export class Records {
  readonly #file: string
  readonly #program: string
  readonly #generator: string
  readonly #kinds: string
  readonly #lines = new Map<string, Line>()

  /** @param kinds of which incidents are drawn: other ones give other incidents */
  constructor(exam: ExamName, kinds: readonly string[]) {
    this.#file = `score-${exam}.jsonl`
    const here = path.dirname(fileURLToPath(import.meta.url))
    const folder = exam === 'why' ? 'why' : 'origins'
    const own = readdirSync(path.join(here, folder)).map((name) => path.join(folder, name))
    const files = [...readdirSync(here), ...own].filter(
      (name) => name.endsWith('.js') && !NO_GENERATOR.has(path.basename(name)),
    )
    const generator = createHash('sha256')
    for (const name of files.sort()) generator.update(readFileSync(path.join(here, name)))
    this.#generator = generator.digest('hex').slice(0, 16)
    this.#program = readFileSync(path.join(here, '..', '..', '.stamp'), 'utf8').slice(0, 16)
    this.#kinds = kinds.join()
    const text = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : ''
    // The last line may be cut short.
    const lines = text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
    for (const line of lines) this.#keep(JSON.parse(line) as Line)
  }

  /** The score by this program. */
  scoreOf(form: Form, seed: number): Scored | undefined {
    const line = this.#lines.get(`${form} ${seed}`)
    return line?.program === this.#program ? line.score : undefined
  }

  /** The score by this program or an older one, with the same incident. */
  olderOf(form: Form, seed: number): Scored | undefined {
    return this.#lines.get(`${form} ${seed}`)?.score
  }

  add(score: Scored): void {
    const line = { program: this.#program, generator: this.#generator, kinds: this.#kinds, score }
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
    this.#keep(line)
  }

  #keep(line: Line): void {
    const isSame = line.generator === this.#generator && line.kinds === this.#kinds
    if (isSame) this.#lines.set(`${line.score.form} ${line.score.seed}`, line)
  }
}
