/**
 * Pair selector: which queue pairs a text names.
 *     all | ID | FIRST-LAST | SOURCE>DESTINATION      the last three also as a list: "0-3, 2>*, *>5"
 * Numbers are QP numbers in order of creation and numbers of hosts ("2" or "host 2"); * is any host. QPs come and go during a run, so
 * a QP that is never made has no rows; hosts that are not there are an error.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'
import type { Network } from '../../core/fabric/network.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'

export const PAIRS_HELP =
  '"all": while they have something to send; or a list of QP numbers (3, 0-7) and hosts (2>5, host 2>host 5, 2>*, *>5)'

export interface PairSelection {
  readonly isAll: boolean
  isChosen(pair: QueuePair): boolean
}

export function selectPairs(text: string, network: Network, where: string): PairSelection {
  const { hostOf, hostCount } = network
  if (text.trim() === 'all') return { isAll: true, isChosen: () => true }
  const rules: ((pair: QueuePair) => boolean)[] = []
  const issues: Issue[] = []
  const wrong = (expected: string, item: string): void => {
    issues.push({ path: where, expected, received: `"${item}"`, hint: `hosts are 0 to ${hostCount - 1}` })
  }
  for (const item of text.split(',').map((part) => part.trim())) {
    const ids = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(item)
    const ends = /^(?:host )?(\d+|\*)\s*>\s*(?:host )?(\d+|\*)$/.exec(item)
    if (ids !== null) {
      const first = Number(ids[1])
      const last = Number(ids[2] ?? ids[1])
      if (first > last) wrong('a range FIRST-LAST with FIRST not above LAST', item)
      rules.push((pair) => pair.id >= first && pair.id <= last)
    } else if (ends !== null) {
      const [source, destination] = [positionOf(ends[1]), positionOf(ends[2])]
      if (source >= hostCount || destination >= hostCount) wrong('hosts that are there', item)
      rules.push(
        (pair) =>
          (source < 0 || hostOf[pair.source] === source) &&
          (destination < 0 || hostOf[pair.destination] === destination),
      )
    } else wrong('"all", or QP numbers (3, 0-7) and hosts (2>5, 2>*)', item)
  }
  if (issues.length > 0) throw new InputError(issues)
  return { isAll: false, isChosen: (pair) => rules.some((rule) => rule(pair)) }
}

/** -1 for any. */
function positionOf(text: string | undefined): number {
  return text === '*' ? -1 : Number(text)
}
