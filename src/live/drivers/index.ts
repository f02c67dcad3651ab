/** Drivers of live endpoints: what knows sockets, clocks and random numbers of Node. */
export { DatagramLink } from './datagram-link.ts'
export { Drive } from './drive.ts'
export type { FrameLink } from './frame-link.ts'
export { Hub, type HubEnd } from './hub.ts'
export { systemDraw } from './random.ts'
export { runRping, type RpingTarget } from './run-rping.ts'
export { runSession, type SessionEnd } from './run-session.ts'
export { acceptOne, connectTo, listenAt, type TcpAddress } from './stream.ts'
