/**
 * Steps: the program of a collective, again and again. The next iteration begins on a rank when all operations of this one
 * are done there, as in a stream.
 */
import type { Spot, Round, Unstarted } from '../operations.ts'
import type { GraphOperation, Program, Ready, Sends } from './program.ts'
import { type Collective, eachSend, nameOfStep, numbersOf, StepRun, stepOf, totalOf } from './step-run.ts'

export class StepProgram implements Program {
  readonly ranks: number
  readonly tagCount: number
  readonly channelCount: number
  readonly hasWildcards = false
  readonly #collective: Collective
  readonly #iterations: number
  /** Numbers of an iteration. */
  readonly #numbers: number
  /** By position. */
  readonly #iteration: Int32Array
  readonly #open = new Map<number, StepRun>()
  readonly #done: Round[] = []
  #totals: { messages: number; bytes: number } | null = null

  constructor(collective: Collective, iterations: number) {
    const { plan, ranks, channels } = collective
    this.#collective = collective
    this.#iterations = iterations
    this.#numbers = numbersOf(collective)
    this.ranks = ranks
    this.tagCount = plan.strands
    this.channelCount = channels
    this.#iteration = new Int32Array(ranks)
  }

  get iterations(): number {
    return this.#iterations
  }

  get messages(): number {
    return this.#total().messages * this.#iterations
  }

  get bytes(): number {
    return this.#total().bytes * this.#iterations
  }

  eachSend(visit: (sends: Sends) => void): void {
    eachSend(this.#collective, (sends) => visit({ ...sends, messages: sends.messages * this.#iterations }))
  }

  begin(nowPs: number, ready: Ready): void {
    for (let position = 0; position < this.ranks; position++) this.#beginAt(nowPs, position, ready)
  }

  read(id: number, out: GraphOperation): void {
    this.#runOf(id).read(id, out)
  }

  onDone(nowPs: number, id: number, ready: Ready): void {
    const run = this.#runOf(id)
    const position = run.onDone(nowPs, id, ready)
    if (!run.isOverAt(position)) return
    this.#end(run, position)
    this.#beginAt(nowPs, position, ready)
  }

  rounds(): readonly Round[] {
    return [...this.#done, ...[...this.#open.values()].map((run) => run.round())]
  }

  unstarted(): readonly Unstarted[] {
    return Array.from(this.#iteration, (iteration, rank) => ({ rank, run: this.#open.get(iteration) })).flatMap(
      ({ rank, run }): Unstarted[] => {
        const found = run?.unstarted(rank) ?? null
        return found === null ? [] : [{ rank, ...found }]
      },
    )
  }

  nameOf(id: number): string {
    return nameOfStep(this.#collective, id % this.#numbers)
  }

  spotOf(id: number): Spot {
    return { iteration: Math.floor(id / this.#numbers), step: stepOf(this.#collective, id % this.#numbers) }
  }

  /** Begins the iteration of the position, and those after it while there is nothing to do in them. */
  #beginAt(nowPs: number, position: number, ready: Ready): void {
    while (this.#iteration[position]! < this.#iterations) {
      const iteration = this.#iteration[position]!
      let run = this.#open.get(iteration)
      if (run === undefined) {
        run = new StepRun(this.#collective, iteration * this.#numbers, iteration)
        this.#open.set(iteration, run)
      }
      run.beginAt(nowPs, position, ready)
      if (!run.isOverAt(position)) return
      this.#end(run, position)
    }
  }

  #end(run: StepRun, position: number): void {
    this.#iteration[position]!++
    if (!run.isOver) return
    this.#done.push(run.round())
    this.#open.delete(run.iteration)
  }

  #runOf(id: number): StepRun {
    return this.#open.get(Math.floor(id / this.#numbers))!
  }

  #total(): { messages: number; bytes: number } {
    return (this.#totals ??= totalOf(this.#collective))
  }
}
