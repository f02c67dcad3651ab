/**
 * Expansion: collectives of a program as their sends and receives, one by one, in the order in which they would be posted,
 * for tools that know no collectives.
 */
import { planOf } from '../algorithms/plan.ts'
import { byGroup, type Part } from '../joint-runs.ts'
import { type NewOperation, OperationTable } from '../operation-table.ts'
import { ANY, blankOperation } from '../program.ts'
import type { Collective, Transfer } from '../step-run.ts'

const JOIN = { kind: 'wait', peer: 0, sizeBytes: 0, tag: 0, channel: 0, durationPs: 0, lane: 0 } as const

/** A collective, the first tag and channel of its messages, and its ranks by position. */
interface Joint {
  readonly collective: Collective
  readonly parts: readonly Part[]
  readonly tag: number
  readonly channel: number
  readonly ranks: readonly number[]
}

/** The same program without collectives. Its parts have no problems. */
export function expanded(table: OperationTable): OperationTable {
  if (table.parts.length === 0) return table
  const joints = jointsOf(table)
  const isPart = new Set(table.parts.map(({ id }) => id))
  const whole = new OperationTable(table.ranks)
  const operation = blankOperation()
  const { tags } = table
  /** By operation of the table: where what waits for it waits now, and what waits itself. */
  const [ends, begins] = [new Float64Array(table.size), new Float64Array(table.size)]
  let id = 0
  for (let rank = 0; rank < table.ranks; rank++) {
    for (; id < table.size; id++) {
      table.read(id, operation)
      if (operation.rank !== rank) break
      const { tag } = operation
      const added = isPart.has(id) ? JOIN : { ...operation, tag: tag === ANY ? ANY : (tags[tag] ?? 0) }
      begins[id] = ends[id] = whole.add({ ...added, rank })
    }
    for (const joint of joints) {
      const part = joint.parts.find((one) => one.rank === rank)
      if (part !== undefined) ends[part.id] = addPart(whole, joint, begins[part.id]!, rank)
    }
    whole.endRank()
  }
  for (const when of ['after', 'with'] as const) {
    const pairs = table.pairs(when)
    const from = when === 'after' ? ends : begins
    for (let i = 0; i < pairs.length; i += 2) whole.depend(begins[pairs[i + 1]!]!, from[pairs[i]!]!, when)
  }
  return whole
}

function jointsOf({ groups, parts, tags, channels }: OperationTable): Joint[] {
  let tag = tags.reduce((most, each) => Math.max(most, each), -1) + 1
  let channel = channels
  return byGroup(groups.length, parts).flatMap((joints, group) => {
    let most = 0
    const made = joints.map((own): Joint => {
      const collective = planOf(own[0]!.options, groups[group]!.length)
      const joint = { collective, parts: own, tag, channel, ranks: groups[group]! }
      tag += collective.plan.strands
      most = Math.max(most, collective.channels)
      return joint
    })
    channel += most
    return made
  })
}

/** Adds the part of a rank, which begins with an operation. Gives the one that ends it. */
function addPart(whole: OperationTable, joint: Joint, begin: number, rank: number): number {
  const { collective, ranks } = joint
  const { plan } = collective
  const position = ranks.indexOf(rank)
  /** By strand: the operations that its next step waits for; null: it has ended. */
  const before: (readonly number[] | null)[] = Array.from({ length: plan.strands }, () => [begin])
  const all: number[] = []
  for (let at = 0; before.some((each) => each !== null); at++) {
    for (let strand = 0; strand < plan.strands; strand++) {
      const own = before[strand]
      if (own === null || own === undefined) continue
      const step = plan.step(position, strand, at)
      if (step === null) {
        before[strand] = null
        continue
      }
      const add = (kind: 'send' | 'receive', { peer, sizeBytes }: Transfer): number[] => {
        if (sizeBytes === 0) return []
        const message: NewOperation = {
          ...JOIN,
          kind,
          rank,
          peer: ranks[peer]!,
          sizeBytes,
          tag: joint.tag + strand,
          channel: joint.channel + plan.channelOf(strand),
        }
        const id = whole.add(message)
        for (const on of own) whole.depend(id, on, 'after')
        all.push(id)
        return [id]
      }
      const receives = step.receives.flatMap((each) => add('receive', each))
      const sends = step.sends.flatMap((each) => add('send', each))
      const binding = step.isAcknowledged === true ? [...receives, ...sends] : receives
      if (binding.length > 0) before[strand] = binding
    }
  }
  const end = whole.add({ ...JOIN, rank })
  whole.depend(end, begin, 'after')
  for (const id of all) whole.depend(end, id, 'after')
  return end
}
