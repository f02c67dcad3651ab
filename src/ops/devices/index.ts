/** Devices: all files of a device together, and the fabric that they make. */
export type { Conflict, Device, DeviceFile, FileReading, FormRead } from './device.ts'
export {
  type End,
  type Fabric,
  fabricOf,
  fabricOfConfigs,
  fabricOfDevices,
  type Link,
  otherEnd,
  type PeerConflict,
} from './fabric.ts'
export { portKey } from './names.ts'
