/**
 * Writes to sysfs: `echo VALUE > /sys/class/...`, by file.
 * Source: the drivers of MLNX_OFED (ecn, qos, tc); Linux, Documentation/ABI/testing/sysfs-class-net.
 */
import { DSCP_COUNT, eightIn, PRIORITY_COUNT, TRUSTS, wholeIn } from '../host-words.ts'
import { rdmaName } from '../rdma/rdma-names.ts'
import { type Context, memoryOf } from './settings.ts'

/** Notes a value. False: it is none of this file. @param names the parts of the path that vary */
type Write = (value: string, names: readonly string[], context: Context) => boolean

const numberOf =
  (field: 'cnpDscp' | 'cnpClass', most: number): Write =>
  (value, [name = ''], { facts, line }) => {
    const number = wholeIn(value, most)
    if (number !== undefined) facts.port(name).nic.put(field, number, line)
    return number !== undefined
  }

const FILES: readonly (readonly [path: RegExp, write: Write])[] = [
  [
    /^net\/([^/]+)\/ecn\/roce_(np|rp)\/enable\/([0-7])$/,
    (value, [name = '', side, priority], context) => {
      const field = side === 'np' ? 'np' : 'rp'
      const memory = memoryOf(context, name)
      memory.of(field)[Number(priority)] = wholeIn(value, 1)
      memory.put(field, context.facts.port(name), context.line)
      return wholeIn(value, 1) !== undefined
    },
  ],
  [/^net\/([^/]+)\/ecn\/roce_np\/cnp_dscp$/, numberOf('cnpDscp', DSCP_COUNT - 1)],
  [/^net\/([^/]+)\/ecn\/roce_np\/cnp_802p_prio$/, numberOf('cnpClass', PRIORITY_COUNT - 1)],
  [
    /^net\/([^/]+)\/qos\/trust$/,
    (value, [name = ''], { facts, line }) => {
      if (TRUSTS.includes(value)) facts.port(name).settings.put('trust', value, line)
      return TRUSTS.includes(value)
    },
  ],
  [
    /^net\/([^/]+)\/qos\/pfc$/,
    (value, [name = ''], context) => {
      const eight = eightIn(value.replaceAll(' ', ','), 1)
      const memory = memoryOf(context, name)
      memory.setAll('pfc', eight ?? Array.from({ length: PRIORITY_COUNT }, () => undefined))
      memory.put('pfc', context.facts.port(name), context.line)
      return eight !== undefined
    },
  ],
  [
    /^net\/([^/]+)\/mtu$/,
    (value, [name = ''], { facts, line }) => {
      const mtu = wholeIn(value, 1e6)
      if (mtu !== undefined) facts.port(name).settings.put('mtuBytes', mtu, line)
      return mtu !== undefined
    },
  ],
  [
    /^infiniband\/([^/]+)\/tc\/(\d{1,3})\/traffic_class$/,
    (value, [device = '', port = '1'], { facts, line }) => {
      const { nic } = facts.rdmaPort(rdmaName(device, port))
      const tclass = wholeIn(/^(?:tclass=)?(\d{1,3})$/.exec(value)?.[1] ?? '', 255)
      if (tclass === undefined) nic.forget('sysfsTclass')
      else nic.put('sysfsTclass', tclass, line)
      return tclass !== undefined
    },
  ],
]

/** Notes a value that is written to a file under /sys/class. False: it matters, and is not understood. */
export function writeToSysfs(path: string, value: string, context: Context): boolean {
  for (const [pattern, write] of FILES) {
    const names = pattern.exec(path)?.slice(1)
    if (names !== undefined) return write(value, names, context)
  }
  return !/^net\/[^/]+\/(?:ecn|qos)\/|^infiniband\/[^/]+\/tc\//.test(path)
}
