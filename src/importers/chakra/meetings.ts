/**
 * Where ranks meet: collectives by group and order, messages by sender, receiver and tag. Ranks that do not fit together are
 * found when the files are read, not when the run waits for ever.
 */
import type { CollectiveCall, RankGroup } from '../goal-lines.ts'
import type { ImportLog } from '../text-input.ts'

/** Spot of an operation, for messages: "job.3.et, byte 71". */
type Spot = string

interface Meeting {
  readonly group: RankGroup
  readonly calls: { readonly call: CollectiveCall; readonly spot: Spot }[]
  /** By rank: collectives so far. */
  readonly counts: Map<number, number>
  isWrong: boolean
}

interface Channel {
  readonly from: number
  readonly to: number
  readonly tag: number
  readonly spot: Spot
  readonly sent: number[]
  readonly received: number[]
}

export class Meetings {
  readonly #log: ImportLog
  readonly #groups = new Map<string, Meeting>()
  readonly #channels = new Map<string, Channel>()

  constructor(log: ImportLog) {
    this.#log = log
  }

  /** A rank calls a collective. */
  collective(rank: number, group: RankGroup, call: CollectiveCall, spot: Spot): void {
    let meeting = this.#groups.get(group.name)
    if (meeting === undefined) {
      meeting = { group, calls: [], counts: new Map(), isWrong: false }
      this.#groups.set(group.name, meeting)
    }
    const index = meeting.counts.get(rank) ?? 0
    meeting.counts.set(rank, index + 1)
    const other = meeting.calls[index]
    if (other === undefined) meeting.calls.push({ call, spot })
    else if ((other.call.operation !== call.operation || other.call.sizeBytes !== call.sizeBytes) && !meeting.isWrong) {
      // The first that differs may shift all that follow.
      meeting.isWrong = true
      this.#log.issue(undefined, spot, `${said(other.call)}, as in ${other.spot}`, said(call), ORDER_HINT)
    }
  }

  message(from: number, to: number, tag: number, sizeBytes: number, isSend: boolean, spot: Spot): void {
    const key = `${from} ${to} ${tag}`
    let channel = this.#channels.get(key)
    if (channel === undefined) {
      channel = { from, to, tag, spot, sent: [], received: [] }
      this.#channels.set(key, channel)
    }
    const sizes = isSend ? channel.sent : channel.received
    sizes.push(sizeBytes)
  }

  /** Adds issues for what does not meet, when all ranks have been read. */
  check(): void {
    for (const { group, counts, isWrong, calls } of this.#groups.values()) {
      const fewest = group.ranks.find((rank) => (counts.get(rank) ?? 0) < calls.length)
      if (isWrong || fewest === undefined) continue
      const received = `${counts.get(fewest) ?? 0} on rank ${fewest}`
      this.#log.issue(
        undefined,
        `group ${group.name}`,
        `${calls.length} collectives on every rank`,
        received,
        ORDER_HINT,
      )
    }
    for (const channel of this.#channels.values()) this.#checkChannel(channel)
  }

  #checkChannel({ from, to, tag, spot, sent, received }: Channel): void {
    const what = `from rank ${from} to ${to} with tag ${tag}`
    if (sent.length !== received.length) {
      this.#log.issue(undefined, spot, `as many sends as receives ${what}`, `${sent.length} and ${received.length}`)
      return
    }
    sent.sort((a, b) => a - b)
    received.sort((a, b) => a - b)
    const at = sent.findIndex((bytes, index) => bytes !== received[index])
    if (at >= 0)
      this.#log.issue(undefined, spot, `receives of the sizes that are sent ${what}`, `${received[at]} for ${sent[at]}`)
  }
}

const ORDER_HINT = 'collectives of a group meet in order; do the files belong to one run?'

function said({ operation, sizeBytes }: CollectiveCall): string {
  return `${operation} of ${sizeBytes} bytes`
}
