/** Ports of live commands: those that cannot be had are mistakes of the input, all of them at once. */
import type { Server } from 'node:net'
import { InputError, type Issue } from '../../../core/base/issue.ts'
import { listenAt, UdpLink } from '../../../live/drivers/index.ts'
import { addressText } from '../../../core/wire/index.ts'
import { EXIT_BUG, Failure } from '../../failure.ts'
import { codeOf } from '../../files/system-error.ts'

const RECEIVED: Readonly<Record<string, string>> = {
  EADDRINUSE: 'a port that another program has',
  EACCES: 'a port that needs rights',
  EADDRNOTAVAIL: 'an address that this machine does not have',
  ENOTFOUND: 'a host name that is not known',
}

/** A port that could not be had. @throws Failure for other errors of the system */
export function portIssue(path: string, expected: string, error: unknown): Issue {
  const received = RECEIVED[codeOf(error) ?? '']
  if (received !== undefined) return { path, expected, received, hint: 'name another' }
  throw error instanceof Error && 'syscall' in error ? new Failure(error.message, EXIT_BUG) : error
}

/** Errors of sockets become messages. */
export async function failing<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? new Failure(error.message, EXIT_BUG) : error
  }
}

/** Port of UDP and TCP of ends that speak in plain UDP datagrams. */
export const LIVE_PORT = 4791

/** A link and a server at a port of this machine. @throws InputError if it cannot be had */
export async function openEnd(ip: Uint8Array, port: number): Promise<{ link: UdpLink; server: Server }> {
  let link: UdpLink | undefined
  try {
    link = await UdpLink.open(ip, [port])
    return { link, server: await listenAt({ host: addressText(ip), port }) }
  } catch (error) {
    await link?.close()
    throw new InputError([portIssue('--port', `a free port ${port} of UDP and TCP at ${addressText(ip)}`, error)])
  }
}
