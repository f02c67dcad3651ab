/**
 * Programs of a result as connection matrices of htsim (.cm), with triggers for messages that wait for others. Starts are in
 * ps. There are no receives in these files: each counts as posted from the begin.
 */
import { blankOperation, expanded, type OperationTable } from '../core/workload/graph/index.ts'
import { defineExporter, type ExportedFile } from './exporter.ts'
import { type ExportedProgram, noteOf, programsOf } from './programs.ts'

export const htsim = defineExporter({
  name: 'htsim',
  help: 'programs of graphs, collectives and traces as connection matrices with triggers (program.cm), for htsim',
  source: 'Broadcom/csg-htsim, ultraethernet/uet-htsim',
  observers: [],
  export: ({ scenario }) => {
    const { programs, others } = programsOf(scenario)
    return programs.map((program): ExportedFile => {
      const path = `${program.name}.cm`
      const { lines, problems } = new MatrixWriter(program).write()
      const said = [...problems]
      if (said.length > 0)
        return { path, text: said.map((line) => `# not written: ${line}\n`).join(''), ...noteOf(path, said) }
      const left = [...program.leftOut, ...others.map((kind) => `workload ${kind}`)]
      const notes = left.length === 0 ? [] : [`left out: ${left.join(', ')}`]
      return { path, text: lines.map((line) => `${line}\n`).join(''), ...noteOf(path, notes) }
    })
  },
})

/** Conditions of a message: connections that are acknowledged, or received. */
interface Firers {
  readonly acked: Set<number>
  readonly received: Set<number>
  startPs: number
}

interface Trigger {
  readonly firers: Firers
  readonly targets: { readonly connection: number; readonly need: number }[]
}

class MatrixWriter {
  readonly #table: OperationTable
  readonly #program: ExportedProgram
  readonly #problems = new Set<string>()
  readonly #operation = blankOperation()
  readonly #before: number[][]
  /** Send of each receive. */
  readonly #sendOf: Int32Array
  readonly #connectionOf = new Map<number, number>()

  constructor(program: ExportedProgram) {
    this.#program = program
    this.#table = expanded(program.table)
    const { size } = this.#table
    this.#before = Array.from({ length: size }, () => [])
    const pairs = this.#table.pairs('after')
    for (let i = 0; i < pairs.length; i += 2) this.#before[pairs[i + 1]!]!.push(pairs[i]!)
    if (this.#table.pairs('with').length > 0) this.#problems.add('operations wait for the begin of others')
    this.#sendOf = new Int32Array(size).fill(-1)
    this.#table.eachGroup((sends, receives) => receives.forEach((id, i) => (this.#sendOf[id] = sends[i] ?? -1)))
  }

  write(): { lines: string[]; problems: ReadonlySet<string> } {
    const { hostCount, hostOf } = this.#program
    const sends = Array.from({ length: this.#table.size }, (_, id) => id).filter((id) => {
      const { kind, sizeBytes } = this.#read(id)
      return kind === 'send' && sizeBytes > 0
    })
    sends.forEach((id, connection) => this.#connectionOf.set(id, connection))
    const firers = sends.map((id) => this.#firersOf(id))
    const triggers = this.#triggersOf(sends, firers)
    const [ackedOf, receivedOf, triggerOf] = [
      new Map<number, number>(),
      new Map<number, number>(),
      new Map<number, number>(),
    ]
    triggers.forEach((trigger, index) => {
      for (const [own, of] of [
        [trigger.firers.acked, ackedOf],
        [trigger.firers.received, receivedOf],
      ] as const) {
        for (const connection of own) {
          if (of.has(connection)) this.#problems.add('a message starts others that wait for different ones besides')
          of.set(connection, index + 1)
        }
      }
      for (const { connection } of trigger.targets) triggerOf.set(connection, index + 1)
    })
    const lines = sends.map((id, connection) => {
      const { rank, peer, sizeBytes } = this.#read(id)
      if (hostOf[rank] === hostOf[peer]) this.#problems.add('a message stays on its host')
      const trigger = triggerOf.get(connection)
      const start = trigger === undefined ? `start ${firers[connection]!.startPs}` : `trigger ${trigger}`
      const fires = [
        ackedOf.has(connection) ? ` send_done_trigger ${ackedOf.get(connection)!}` : '',
        receivedOf.has(connection) ? ` recv_done_trigger ${receivedOf.get(connection)!}` : '',
      ]
      return `${hostOf[rank]}->${hostOf[peer]} id ${connection + 1} ${start} size ${sizeBytes}${fires.join('')}`
    })
    const header = [`Nodes ${hostCount}`, `Connections ${lines.length}`, `Triggers ${triggers.length}`]
    return {
      lines: [...header, ...lines, ...triggers.map((each, index) => this.#triggerLine(each, index + 1))],
      problems: this.#problems,
    }
  }

  /** Messages that start for the same reason have one trigger. */
  #triggersOf(sends: readonly number[], firers: readonly Firers[]): Trigger[] {
    const triggers = new Map<string, Trigger>()
    sends.forEach((id, connection) => {
      const own = firers[connection]!
      const count = own.acked.size + own.received.size
      if (count === 0) return
      if (own.startPs > 0) this.#problems.add('a message waits for others and for a time')
      const key = JSON.stringify([own.acked, own.received].map((each) => [...each].toSorted((a, b) => a - b)))
      const known = triggers.get(key) ?? { firers: own, targets: [] }
      known.targets.push({ connection, need: this.#needOf(id) ?? count })
      triggers.set(key, known)
    })
    return [...triggers.values()]
  }

  #triggerLine({ firers, targets }: Trigger, id: number): string {
    const count = firers.acked.size + firers.received.size
    if (targets.every(({ need }) => need === count))
      return count === 1 ? `trigger id ${id} oneshot` : `trigger id ${id} barrier count ${count}`
    if (targets.some(({ need }, index) => need !== index + 1))
      this.#problems.add('messages wait for some of several others')
    return `trigger id ${id} multishot`
  }

  /** The need of a message, which its wait has if there is one. */
  #needOf(send: number): number | undefined {
    const { needs } = this.#table
    return [send, ...this.#before[send]!].map((id) => needs.get(id)).find((need) => need !== undefined)
  }

  #firersOf(send: number): Firers {
    const found: Firers = { acked: new Set(), received: new Set(), startPs: 0 }
    const seen = new Set<number>()
    const open = [...this.#before[send]!]
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue
      seen.add(id)
      const { kind, durationPs, untilPs, sizeBytes } = this.#read(id)
      if (durationPs > 0) this.#problems.add('a message waits for a compute or a delay')
      found.startPs = Math.max(found.startPs, untilPs)
      if (kind === 'send' && sizeBytes > 0) found.acked.add(this.#connectionOf.get(id)!)
      else if (kind !== 'receive') open.push(...this.#before[id]!)
      else if (this.#sendOf[id]! < 0) this.#problems.add('a receive takes any message')
      else if (sizeBytes > 0) found.received.add(this.#connectionOf.get(this.#sendOf[id]!)!)
      else open.push(...this.#before[id]!, ...this.#before[this.#sendOf[id]!]!)
    }
    return found
  }

  #read(id: number) {
    this.#table.read(id, this.#operation)
    return this.#operation
  }
}
