/** Wire formats: conversion between bytes and fields, without state. */
export {
  CREDITS,
  creditCode,
  RNR_WAIT_US,
  SYNDROME_ACK_UNLIMITED,
  SYNDROME_INVALID_REQUEST,
  SYNDROME_PSN_ERROR,
  SYNDROME_REMOTE_ACCESS,
  SYNDROME_REMOTE_OPERATION,
  SYNDROME_RNR,
} from './aeth.ts'
export * from './opcodes.ts'
export {
  BTH_BYTES,
  type BthBits,
  type BthFields,
  CNP_OPCODE,
  LIVE_BITS,
  PLAIN_BITS,
  readBth,
  writeBth,
  writeCnp,
} from './bth.ts'
export { headerBytes, readHeaders, writeHeaders, type RcFields } from './rc-headers.ts'
export { readRequestFpduBytes, taggedFpduBytes, untaggedFpduBytes } from './fpdu.ts'
export { isStationAddress, MAC_CONTROL_BYTES, type MacControl, readMacControl, writeMacControl } from './mac-control.ts'
export {
  type EthernetHeader,
  fcsOf,
  readDscp,
  readEthernet,
  readVlanTag,
  type VlanTag,
  writeEthernet,
  writeVlanTag,
} from './ethernet.ts'
export { crc32 } from './crc32.ts'
export { icrcOf, identificationFor } from './icrc.ts'
export {
  addressText,
  contentChecksum,
  type IpHeader,
  ipv4Bytes,
  type Ipv4Header,
  type Ipv6Header,
  readIp,
  writeIp,
} from './ip.ts'
export { readFrame, type ReadFrame, ROCE_PORT, type RoceFrame, writeIpFrame, writeRoceFrame } from './frame.ts'
export { opcodeName } from './opcode-names.ts'
export { type TcpSegment, writeTcpPacket } from './tcp.ts'
export { CN_TAG, type CongestionMessage, writeCongestionMessage } from './congestion-message.ts'
export * from './management/index.ts'
export {
  type Capture,
  type CapturedFrame,
  type CaptureInterface,
  pcapngFrames,
  pcapngHead,
  writePcapng,
} from './captures/pcapng.ts'
export { formatsIn, withFormats } from './captures/formats.ts'
export { CaptureReader } from './captures/capture-reader.ts'
export type { CaptureFacts, CaptureRecord } from './captures/record.ts'
export { linkName, type LinkType } from './outer/links.ts'
export { dissect, type DissectOptions } from './dissect.ts'
export type * from './dissected.ts'
export { type UdDatagram, writeRocePacket, writeUdPacket } from './roce-packet.ts'
