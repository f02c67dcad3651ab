/** Devices: all files of a device together, and the fabric that they make. */
export type { Conflict, Device, DeviceFile, FileReading, FormRead, Unread } from './device.ts'
export {
  type Beyond,
  type End,
  type Fabric,
  fabricOf,
  fabricOfConfigs,
  fabricOfDevices,
  isUnread,
  type Link,
  otherEnd,
  type PeerConflict,
  type UnknownPort,
} from './fabric.ts'
export { carriesRoce, LINK_SOURCES, type LinkSource } from './links.ts'
export { portKey } from './names.ts'
export { formsIn, hostKey, hostnameIn, type HostText, textsByHost } from '../dialects/index.ts'
