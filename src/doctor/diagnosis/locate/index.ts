export { findingsOf } from './findings.ts'
export type { OriginGroup } from './groups.ts'
export { type Located, locate } from './locate.ts'
export {
  type Confidence,
  CONFIDENCES,
  type DeviceSettings,
  type Missing,
  type Origin,
  ORIGIN_KINDS,
  type OriginKind,
  type PortName,
} from './origin.ts'
export type { Evidence } from './states.ts'
export { locatedText } from './text.ts'
export { settingsOf } from './settings.ts'
