/**
 * Capture: the frames that ports send and receive, as a pcapng file and as a table of one row per frame.
 * A frame's time is that of its first bit at the port. Frames come with a comment where the device behind the port dropped
 * or trimmed them, marked them, or where the link lost them.
 * How packets become bytes: docs/models/capture.md.
 */
import { durationOrOff, duration, flag, sizeOrOff, text } from '../../../core/base/params.ts'
import { inputError } from '../../../core/base/issue.ts'
import { joined } from '../../../core/results/file-parts.ts'
import { rowLimit, tableName, tableParams } from '../limits.ts'
import { defineMetric } from '../metric.ts'
import { selectPorts } from '../port-selector.ts'
import { FrameLog } from './frame-log.ts'
import { Tap } from './tap.ts'

export const capture = defineMetric({
  name: 'capture',
  help: 'frames that ports send and receive, as a pcapng file for Wireshark and as a row each: time, port, direction, kind, QP, PSN, bytes, comment',
  params: {
    ports: text({ default: 'all', help: 'ports: "all", or a list of NODE:PORT and NODE:*' }),
    from: duration({ default: 0, help: 'first instant of the capture' }),
    to: durationOrOff({ default: null, help: 'instant at which the capture ends; off: with the run' }),
    snap: sizeOrOff({
      default: null,
      min: 1,
      help: 'bytes kept of each frame, from its first; off: all. The ICRC is at the end',
    }),
    fcs: flag({ default: false, help: 'frames end with their FCS' }),
    ...tableParams,
  },
  create(values, context) {
    const name = tableName(values, 'capture')
    const { packets, network, dropReasons } = context
    const { ports } = selectPorts(values.ports, context, 'capture.ports', () => true, 'port', false)
    if (values.to !== null && values.to <= values.from)
      throw inputError('capture.to', 'a time after `from`', 'one that is not after it')
    if (packets === undefined) throw inputError('capture', 'a run that knows how packets look', 'another')
    const maxRows = rowLimit(values, context)
    const log = new FrameLog({ name, ports, maxRows, snapBytes: values.snap, hasFcs: values.fcs })
    const tap = new Tap({
      network,
      packets,
      ports,
      log,
      fromPs: values.from,
      toPs: values.to ?? Infinity,
      reasonOf: (reason) => dropReasons?.[reason] ?? String(reason),
    })
    return {
      name,
      watch: {
        onPfcReceived() {},
        onPauseChanged() {},
        onDrop: (nowPs, node, reason, _direction, _sizeBytes, packet) => tap.onDrop(nowPs, node, reason, packet),
      },
      table: () => log.table(),
      file() {
        const content = log.capture()
        const parts = (): Iterable<Uint8Array> => packets.file(content)
        return {
          path: `${name}.pcapng`,
          get data() {
            return joined(parts())
          },
          parts,
        }
      },
    }
  },
})
