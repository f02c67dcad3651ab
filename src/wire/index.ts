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
export { BTH_BYTES, headerBytes, RC_HEADERS_BYTES_MAX, readHeaders, writeHeaders, type RcFields } from './rc-headers.ts'
export { readRequestFpduBytes, taggedFpduBytes, untaggedFpduBytes } from './fpdu.ts'
export { isStationAddress, MAC_CONTROL_BYTES, type MacControl, readMacControl, writeMacControl } from './mac-control.ts'
export { readDscp, readVlanTag, type VlanTag, writeVlanTag } from './ethernet.ts'
