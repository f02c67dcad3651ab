/**
 * Writes to sysfs: `echo VALUE > /sys/class/...`, by file.
 * Source: the drivers of MLNX_OFED (ecn, qos, tc); Linux, Documentation/ABI/testing/sysfs-class-net.
 */
import { CLASS_COUNT, DSCP_COUNT, type Plain } from '../../../../../core/device-model/index.ts'
import { eightIn, TRUSTS, wholeIn } from '../host-words.ts'
import { type Context, memoryOf } from './settings.ts'

/** Notes a value. False: it is none of this file. @param names the parts of the path that vary */
type Write = (value: string, names: readonly string[], context: Context) => boolean

/** Writes a field of the port. */
const port =
  (field: string, read: (value: string) => Plain | undefined): Write =>
  (text, [name = ''], { facts, line }) => {
    const value = read(text)
    if (value !== undefined) facts.port(name).noteAny(field, value, line, 'set')
    return value !== undefined
  }

const FILES: readonly (readonly [path: RegExp, write: Write])[] = [
  [/^net\/([^/]+)\/ecn\/roce_np\/cnp_dscp$/, port('nic.cnpDscp', (text) => wholeIn(text, DSCP_COUNT - 1))],
  [/^net\/([^/]+)\/ecn\/roce_np\/cnp_802p_prio$/, port('nic.cnpClass', (text) => wholeIn(text, CLASS_COUNT - 1))],
  [/^net\/([^/]+)\/qos\/trust$/, port('trust', (text) => TRUSTS.find((one) => one === text))],
  [/^net\/([^/]+)\/mtu$/, port('mtuBytes', (text) => wholeIn(text, 1e6))],
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
  [
    /^net\/([^/]+)\/qos\/pfc$/,
    (value, [name = ''], context) => {
      const eight = eightIn(value.replaceAll(' ', ','), 1)
      memoryOf(context, name).putAll('pfc', eight, context.facts.port(name), context.line)
      return eight !== undefined
    },
  ],
  [
    /^infiniband\/([^/]+)\/tc\/(\d{1,3})\/traffic_class$/,
    (value, [device = '', number = '1'], { facts, line }) => {
      const tclass = wholeIn(/^(?:tclass=)?(\d{1,3})$/.exec(value)?.[1] ?? '', 255)
      facts.rdmaPort(device, number).nic.note('sysfsTclass', tclass, line)
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
