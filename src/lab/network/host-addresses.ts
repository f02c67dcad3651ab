/**
 * Host addresses: the IPv4 address of each host of a built network.
 */
import { hostName } from '../../core/base/device-names.ts'
import { InputError, type Issue, inputError } from '../../core/base/issue.ts'
import { formatAddress, parseAddress, readAddresses } from '../scenario/rules/addresses.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Topology } from '../../core/topology/topology.ts'

/**
 * Addresses by endpoint, 32 bits each: those of `nic.addresses` for the first ports of the hosts named there; others count
 * up from `nic.firstAddress` by node.
 * @throws InputError for hosts that do not exist and addresses that two hosts have
 */
export function hostAddresses({ nic }: Scenario, { endpoints, hostPorts }: Topology): Int32Array {
  const first = parseAddress(nic.firstAddress)
  if (first === undefined)
    throw inputError('nic.firstAddress', 'an IPv4 address such as "10.0.0.1"', `"${nic.firstAddress}"`)
  const addresses = Int32Array.from(endpoints, (node) => first + ((node >> 8) << 16) + ((node & 0xff) << 8))
  const given = readAddresses(nic.addresses)
  const isGiven = new Set(given.map(({ to }) => hostPorts[to]?.[0]))
  const ownerOf = new Map<number, number>()
  hostPorts.forEach((ports, host) => {
    for (const port of ports) if (!isGiven.has(port)) ownerOf.set(addresses[port]!, host)
  })
  const issues: Issue[] = []
  for (const { line, to, value } of given) {
    const path = `nic.addresses.${line}`
    const owner = ownerOf.get(value)
    if (to >= hostPorts.length) {
      issues.push({ path, expected: `a host 0 to ${hostPorts.length - 1}`, received: hostName(to), hint: '' })
    } else if (owner !== undefined) {
      const received = `${formatAddress(value)}, which is that of ${hostName(owner)}`
      issues.push({ path, expected: 'an address that no other host has', received, hint: '' })
    } else {
      ownerOf.set(value, to)
      addresses[hostPorts[to]![0]!] = value
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return addresses
}
