/**
 * Settings of a Junos device as a whole: watchdog, partitions of the buffer, tables of addresses, choice among equal paths.
 * Source: as the reader (dialects/junos/device.ts).
 */
import { sharedBufferName } from '../../dialects/junos/device.ts'
import { knownOf, type PortConfig, type SwitchSettings } from '../../../../core/device-model/index.ts'
import { block, leaf, type Statement, setting } from './statements.ts'

const MS_PS = 1e9
const POLL_MS = 100
const SECONDS_PER_MINUTE = 60

/** Times that are not those of a watchdog without options. */
export function watchdogStatement({ watchdog }: SwitchSettings): Statement {
  const { pollPs, detectionPs, restorationPs, action } = watchdog
  const writtenMs = (value: typeof pollPs | typeof restorationPs): number | undefined => {
    const time = value.state === 'default' ? undefined : knownOf(value)
    return typeof time === 'number' ? time / MS_PS : undefined
  }
  const [poll, detection] = [writtenMs(pollPs), writtenMs(detectionPs)]
  const isWhole = (detection ?? 0) % (poll ?? POLL_MS) === 0
  // Detection counts polls: where nobody knows their time, one poll is as long as detection.
  const interval = poll ?? (isWhole ? undefined : detection)
  return {
    words: 'pfc-watchdog',
    inside: [
      ...setting('poll-interval', interval),
      ...setting('detection', detection === undefined ? undefined : detection / (interval ?? POLL_MS)),
      ...setting('recovery', writtenMs(restorationPs)),
      ...setting('watchdog-action', action.state === 'default' ? undefined : knownOf(action)),
    ],
  }
}

/** Names that partitions of each side can have. */
const PARTITIONS: readonly string[] = ['lossless', 'lossless-headroom', 'lossy', 'multicast']
/** In the order in which they are given to pools without one. */
const GIVEN: readonly string[] = ['lossless', 'lossy', 'multicast', 'lossless-headroom']

/** Partitions in the place of pools. Headroom is 0 where a class with PFC has none. */
export function bufferStatements({ pools, other }: SwitchSettings, ports: readonly PortConfig[]): Statement[] {
  const hasNone = ports.some(({ settings: { classes, pfcClasses } }) =>
    (knownOf(pfcClasses) ?? []).some((c) => knownOf(classes[c]!.hasHeadroom) === false),
  )
  const shareOf = (...words: readonly string[]): number | undefined => {
    const share = knownOf(other[sharedBufferName(...words)])
    return typeof share === 'number' ? share : undefined
  }
  const sides = (['ingress', 'egress'] as const).map((side) => {
    const own = pools.filter((pool) => knownOf(pool.side) === side).map(({ poolName }) => knownOf(poolName) ?? '')
    const left = GIVEN.filter((name) => !own.includes(name))
    const names = own.map((name) => (PARTITIONS.includes(name) ? name : (left.shift() ?? name)))
    if (side === 'ingress' && hasNone && !names.includes(HEADROOM)) names.push(HEADROOM)
    return block(
      side,
      setting('percent', shareOf(side, 'percent')),
      names.map((name) => {
        const percent = side === 'ingress' && name === HEADROOM && hasNone ? 0 : shareOf(side, name, 'percent')
        return {
          words: `buffer-partition ${name}`,
          inside: [
            ...setting('percent', percent),
            ...setting('dynamic-threshold', shareOf(side, name, 'dynamic-threshold')),
          ],
        }
      }),
    )
  })
  return block('shared-buffer', ...sides)
}

const HEADROOM = 'lossless-headroom'

const BALANCES: Readonly<Record<string, string>> = {
  ecmp: 'assigned-flow',
  flowlet: 'flowlet',
  spray: 'per-packet',
}

export function arpStatements({ arpSeconds }: SwitchSettings): Statement[] {
  const seconds = knownOf(arpSeconds)
  return block(
    'arp',
    setting('aging-timer', seconds === undefined ? undefined : Math.round(seconds / SECONDS_PER_MINUTE)),
  )
}

export function routingStatements({ macAgeSeconds, balance }: SwitchSettings): Statement[] {
  const word = BALANCES[knownOf(balance) ?? '']
  return [
    ...block('protocols', block('l2-learning', setting('global-mac-table-aging-time', knownOf(macAgeSeconds)))),
    ...block(
      'forwarding-options',
      block('enhanced-hash-key', block('ecmp-dlb', word === undefined ? [] : [leaf(word)])),
    ),
  ]
}
