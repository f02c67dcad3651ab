/** Management datagrams: what connection managers send to queue pair 1. */
export {
  type AnyConnectionMad,
  CONNECTION_MESSAGES,
  type ConnectionMad,
  type ConnectionMessageKind,
  MAD_BYTES,
  mtuOfCode,
  readConnectionMad,
  timeoutPs,
  writeConnectionMad,
} from './connection-message.ts'
export {
  IP_PRIVATE_BYTES,
  type IpRequest,
  type IpService,
  PORT_SPACE_TCP,
  readIpRequest,
  readIpServiceId,
  writeIpRequest,
  writeIpServiceId,
} from './ip-request.ts'
export { rejectReason } from './reject-reasons.ts'
