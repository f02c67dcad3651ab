/**
 * Links of costs: a port or host in the tables of waits and pauses opens in the picture of its network.
 */
import type { NetworkData, PortData, RunData } from '../page-data.ts'
import { all, openButton } from './dom.ts'
import { type OpenPort, showHosts } from './network.ts'

/** Names that the picture does not know stay text. */
export function linkCosts(runs: readonly RunData[], openers: ReadonlyMap<number, OpenPort>): void {
  for (const head of all(document, '#why th[data-run]', HTMLTableCellElement)) {
    const run = Number(head.dataset['run'])
    const name = head.textContent?.trim() ?? ''
    const show = showOf(name, run, runs[run]?.network ?? null, openers.get(run))
    if (show !== undefined) head.replaceChildren(openButton(name, show))
  }
}

function showOf(
  name: string,
  run: number,
  network: NetworkData | null,
  open: OpenPort | undefined,
): (() => void) | undefined {
  const [, host] = /^host (\d+)(?: [a-z]+ \d+)*(?: \(.*\))?$/.exec(name) ?? []
  const nodes = network?.hostNodes[Number(host)]
  // An origin of pauses has the device at the other end in its name.
  const isNamed = (port: PortData): boolean =>
    nodes?.includes(port.node) ?? (name === port.name || name === `${port.name} to ${port.peerName}`)
  const [key] = Object.entries(network?.ports ?? {}).find(([, port]) => isNamed(port)) ?? []
  if (nodes !== undefined) {
    return () => {
      if (key !== undefined) open?.(key)
      showHosts(run, network, [Number(host)])
    }
  }
  return key === undefined || open === undefined ? undefined : () => open(key)
}
