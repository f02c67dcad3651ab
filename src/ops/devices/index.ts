/** Devices: all files of a device together, and the fabric that they make. */
export type { Conflict, Device, DeviceFile, FormRead } from './device.ts'
export { portKey } from './names.ts'
export { type End, type Fabric, fabricOf, type Link, otherEnd, type PeerConflict } from './fabric.ts'
