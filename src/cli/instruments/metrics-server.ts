/**
 * Metrics server: gives the counters of a run in progress to Prometheus, at GET /metrics of an address that the user names.
 * Requests are answered between slices of the run. Anybody who reaches the address may ask, so only little is listened to.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { inputError } from '../../core/base/issue.ts'
import { EXPOSITION_TYPE } from '../../doctor/index.ts'
import { codeOf } from '../files/system-error.ts'
import { type Parser, parser } from '../parsers.ts'

const HEADER_BYTES_MAX = 8192
const CONNECTIONS_MAX = 16
const REQUEST_MS_MAX = 5000

export interface Address {
  readonly host: string
  readonly port: number
}

/** "127.0.0.1:9100", "[::1]:9100", "localhost:0"; port 0: any that is free. */
export const addressOf: Parser<Address> = parser('HOST:PORT, such as 127.0.0.1:9100', (input) => {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9a-fA-F:.]{2,45})\]|([a-zA-Z0-9.-]{1,253})):(\d{1,5})$/.exec(input) ?? []
  const [host, port] = [bracketed ?? plain, Number(digits)]
  if (host === undefined || port > 65_535 || (bracketed !== undefined && isIP(bracketed) !== 6)) return undefined
  return { host, port }
})

export class MetricsServer {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** @param textOf the metrics as they are now. Throws InputError for an address that cannot be used. */
  static async open({ host, port }: Address, textOf: () => string): Promise<MetricsServer> {
    const server = createServer(
      { maxHeaderSize: HEADER_BYTES_MAX, requestTimeout: REQUEST_MS_MAX },
      (request, response) => answer(request, response, textOf),
    )
    server.maxConnections = CONNECTIONS_MAX
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(
          inputError('--serve-metrics', 'an address that is free', `${host}:${port} (${codeOf(error) ?? 'unusable'})`),
        ),
      )
      server.listen(port, host, resolve)
    })
    return new MetricsServer(server)
  }

  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

function answer(request: IncomingMessage, response: ServerResponse, textOf: () => string): void {
  request.resume()
  const isAsked = (request.url ?? '').split('?')[0] === '/metrics'
  if (!isAsked) return end(response, 404, 'the metrics are at /metrics\n')
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, 'GET and HEAD only\n')
  end(response, 200, request.method === 'HEAD' ? '' : textOf(), EXPOSITION_TYPE)
}

function end(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(text)
}
