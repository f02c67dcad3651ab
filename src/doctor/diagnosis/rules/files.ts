/** Rules about the files themselves. */
import { fabricFiles } from '../../../core/findings/index.ts'
import type { Value } from '../../../core/device-model/index.ts'
import { defineRule } from './rule.ts'
import { deviceSpot } from './saying.ts'

const { lld01, lnk01, src01, trn01 } = fabricFiles

/** Lines of files as evidence: what they say is in them. */
const written = (file: string, line: number): Value<string> => ({
  state: 'set',
  value: '',
  origin: { file, line },
})

export const wholeFiles = defineRule(trn01, ({ fabric }, say, kind) => {
  for (const device of fabric.devices.values())
    for (const { file, dialect, truncated } of device.forms)
      say.judge(truncated !== null, kind, deviceSpot(device), () => ({
        values: { form: dialect.title, expected: truncated?.expected ?? '' },
        evidence: [{ spot: deviceSpot(device), value: written(file, truncated?.line.number ?? 1) }],
      }))
})

export const filesAgree = defineRule(src01, ({ fabric }, say, kind) => {
  for (const at of fabric.devices.values())
    for (const { port, field, values } of at.conflicts) {
      // A state of the moment is another one later.
      if (field.endsWith('.isStormed')) continue
      const spot = { device: at.config.device, port, at }
      say.fires(kind, spot, { values: { field }, evidence: values.map((value) => ({ spot, value })) })
    }
})

export const listedPortsAreThere = defineRule(lnk01, ({ fabric }, say, kind) => {
  for (const { end, known, isSure, line } of fabric.unknownPorts)
    say.fires(kind, end, {
      values: { known, isSure },
      evidence: [{ spot: end, value: written('edges.csv', line) }],
      severity: isSure ? 'error' : 'warning',
    })
})

export const neighboursAgree = defineRule(lld01, ({ fabric }, say, kind) => {
  for (const { end, peers } of fabric.peerConflicts)
    say.fires(kind, end, {
      values: { peers: [...new Set(peers.map(({ peer }) => peer))] },
      evidence: peers
        .filter(({ file }) => file !== '')
        .map(({ file, line }) => ({ spot: end, value: written(file, line) })),
    })
})
