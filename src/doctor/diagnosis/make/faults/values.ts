/** Values that faults have in common. */
import type { Plain } from '../../../../core/device-model/index.ts'
import type { Design } from '../design.ts'
import type { FaultSite, OtherValues } from './fault.ts'

/** A DSCP that nobody uses, next to that of RoCE. */
export const typo = ({ dscp }: Design): number => dscp + 1
/** A class that is neither that of RoCE nor that of CNPs. */
export const otherClass = ({ draw, design: { lossless, cnpClass } }: FaultSite): number =>
  draw.one([1, 2, 3, 4, 5, 7].filter((c) => c !== lossless && c !== cnpClass))
/** Values of the lossless class, and more. */
export const ofLossless = ({ design: { lossless } }: FaultSite, values: OtherValues): OtherValues =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [`classes.${lossless}.${field}`, value]))
export const job = (tclass: Plain): OtherValues => ({
  'job.ncclIbTc': tclass,
  'job.ncclIbFifoTc': tclass,
  'job.ncclGinIbTc': tclass,
})
export const dscpMap = (classOf: (dscp: number) => Plain | null): OtherValues =>
  Object.fromEntries(Array.from({ length: 64 }, (_, dscp) => [`dscpToClass.${dscp}`, classOf(dscp)]))

export const HEADROOM = ['headroomBytes', 'reserveBytes', 'xonBytes', 'xonOffsetBytes', 'alpha'] as const
export const noHeadroom = (site: FaultSite): OtherValues =>
  ofLossless(site, { hasHeadroom: false, ...Object.fromEntries(HEADROOM.map((field) => [field, null])) })

/** Class 0 in the queue of RoCE, which marks and is served as one. */
export function lossyBesideLossless({ design: { lossless }, port }: FaultSite): OtherValues {
  const own = port.settings.classes[lossless]!
  const shared = ['marks', 'kminBytes', 'kmaxBytes', 'kminRatio', 'kmaxRatio', 'pmaxRatio', 'schedule'] as const
  const values = shared.map((field) => [`classes.0.${field}`, 'value' in own[field] ? own[field].value : null])
  return { 'classes.0.queue': lossless, ...Object.fromEntries(values) }
}

/** Whether most ports of its kind at the device are not the one with the fault. */
export function hasLikePorts({ design, device, port }: FaultSite): boolean {
  const kindOf = (name: string): string | undefined => design.devices.find((one) => one.name === name)?.kind
  const peer = device.ports.find(({ name }) => name === port.name)?.peer ?? ''
  return device.ports.filter((one) => kindOf(one.peer) === kindOf(peer)).length >= 3
}

/** Whether there is more than one switch. */
export const hasOthers = ({ design: { devices } }: FaultSite): boolean =>
  devices.filter(({ kind }) => kind === 'switch').length > 1

/** Whether some host tells that it takes packets in their order only. */
export const hasTellingHost = ({ design: { devices } }: FaultSite): boolean =>
  devices.some(({ kind, language }) => kind === 'host' && language === 'mlnx_qos')

/** Fill at which the lossless class is paused where it is alone. */
export const xoffBytes = ({ poolBytes, alpha }: Design): number => (poolBytes * alpha) / (1 + alpha)

const THRESHOLDS = ['kminBytes', 'kmaxBytes', 'kminRatio', 'kmaxRatio', 'pmaxRatio'] as const
export const noMarks = (site: FaultSite): OtherValues =>
  ofLossless(site, { marks: false, ...Object.fromEntries(THRESHOLDS.map((field) => [field, null])) })
