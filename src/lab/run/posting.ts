/**
 * Posting: hands the messages of a run to queue pairs, through the core of the host that posts where that takes time.
 */
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import type { PostingCore } from '../../core/fabric/nic/send/posting-core.ts'
import type { WatchableSender } from '../../core/transport/send/watched-sender.ts'
import { isAnswered, type Message, type PlainOperation } from '../../core/workload/workload.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { postingCores } from '../network/nics/nic-send.ts'
import type { WorkRequests } from './work-requests.ts'

export class Posting {
  readonly #built: BuiltNetwork
  /** By host. */
  readonly #cores: readonly (PostingCore | null)[]

  constructor(built: BuiltNetwork) {
    this.#built = built
    this.#cores = postingCores(built)
  }

  /** @param work where the message is a work request; null: it is none */
  post(pair: QueuePair, message: Readonly<Message>, work: WorkRequests | null): void {
    const { operation, sizeBytes, source, destination } = message
    work?.announce(pair)
    const core = this.#cores[isAnswered(operation) ? destination : source]!
    if (core === null) this.#hand(pair, operation, sizeBytes, work)
    else {
      if (work === null && operation !== 'read') (pair.sender as Partial<WatchableSender>).watch?.onQueued()
      core.add(() => this.#hand(pair, operation, sizeBytes, work))
    }
  }

  #hand(pair: QueuePair, operation: Message['operation'], sizeBytes: number, work: WorkRequests | null): void {
    const { nics, fabric } = this.#built.network
    if (work !== null) work.post(fabric.queue.nowPs, pair, operation, sizeBytes)
    else if (operation === 'read') nics[pair.destination]!.read(pair, sizeBytes)
    else nics[pair.source]!.post(pair, sizeBytes, operation as Exclude<PlainOperation, 'read'>)
  }
}
