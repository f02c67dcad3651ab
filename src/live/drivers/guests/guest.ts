/**
 * Guest: a machine under QEMU with soft RoCE, whose network is UDP datagrams on the loopback address, each an Ethernet frame.
 * Commands go through one serial line, one after the other; a second one has what programs print, as they print it.
 * Always `-accel tcg`: where /dev/kvm is there but virtual machines inside this machine are not, a guest hangs at its first
 * instruction. A guest ends with the process that started it, however that ends (setpriv of util-linux).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { GuestSystem } from './system.ts'

export interface GuestOptions {
  readonly name: string
  /** ADDRESS/LENGTH. */
  readonly ip4: string
  readonly ip6: string
  /** No two guests of a network have the same one: soft RoCE would be silent. */
  readonly mac: string
  /** MTU of Ethernet: 1500 gives an RDMA MTU of 1024, 4500 one of 4096. */
  readonly mtuBytes?: number
  /** UDP ports of the loopback address: the guest's own, and where its frames go. */
  readonly localPort: number
  readonly remotePort: number
  /** TCP port of the loopback address that leads to SERVER_PORT of the guest; the guest reaches this machine as HOST_IP4. */
  readonly tcpPort?: number
  /** Receives what programs print that were started by `program()`. */
  readonly onOutput?: (text: string) => void
  /** Called when it did not boot, and is booted again. */
  readonly onReboot?: (error: GuestError) => void
  /** Ends the guest. */
  readonly signal?: AbortSignal
}

/** This machine as the guest's second interface has it, the guest there, and where the programs listen. */
export const HOST_IP4 = '198.51.100.2'
const USER_IP4 = '198.51.100.15'
const SERVER_PORT = 18_515

export interface Ended {
  readonly output: string
  /** Exit code, or 128 and the number of the signal that ended it. */
  readonly code: number
}

const BOOT_LIMIT_MS = 90_000
/** A busy machine may keep a guest from booting once. */
const BOOTS_MAX = 2
const COMMAND_LIMIT_MS = 60_000
const MEMORY_MB = 256
/** The kernel's test of its timer counts ticks, which QEMU misses on a busy machine: "IO-APIC + timer doesn't work". */
const NO_TIMER_CHECK = 'no_timer_check'

/** A guest ended, or gives no answer. */
export class GuestError extends Error {}

export class Guest {
  readonly name: string
  readonly #options: GuestOptions
  readonly #child: ChildProcess
  /** Its ports are free again. */
  readonly #gone: Promise<void>
  /** The programs in the guest do not know it, and so cannot print an answer of the shell's. */
  readonly #mark = randomBytes(8).toString('hex')
  readonly #onStop = (): void => this.stop()
  #text = ''
  #wake = (): void => {}
  #backgrounds = 0
  /** Output of programs that may be the beginning of the mark of `drained()`. */
  #held = ''
  #onDrained = (): void => {}

  /** Starts a guest, and waits until soft RoCE is ready; a guest that does not boot is booted once more. */
  static async start(system: GuestSystem, options: GuestOptions): Promise<Guest> {
    for (let boots = 1; ; boots++) {
      const guest = new Guest(system, options)
      try {
        await guest.#answer('ready', BOOT_LIMIT_MS)
        if (options.tcpPort !== undefined) await guest.set('link set eth1 up', `addr add ${USER_IP4}/24 dev eth1`)
        return guest
      } catch (error) {
        guest.stop()
        await guest.#gone
        if (!(error instanceof GuestError) || boots === BOOTS_MAX) throw error
        options.onReboot?.(error)
      }
    }
  }

  private constructor(system: GuestSystem, options: GuestOptions) {
    this.name = options.name
    this.#options = options
    const [program, ...args] = commandOf(system, options, this.#mark)
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] })
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', () => resolve())
      this.#child.once('error', () => resolve())
    })
    process.once('exit', this.#onStop)
    options.signal?.addEventListener('abort', this.#onStop, { once: true })
    this.#child.stdout!.on('data', (data: Buffer) => {
      this.#text += data.toString('latin1')
      this.#wake()
    })
    // A guest that has ended is noticed where something is expected of it.
    for (const stream of [this.#child, ...this.#child.stdio]) stream?.on('error', () => this.#wake())
    this.#child.on('exit', () => this.#wake())
    const decoder = new StringDecoder('utf8')
    const output = this.#child.stdio[3] as Readable
    output.on('data', (data: Buffer) => this.#print(decoder.write(data)))
  }

  /** Runs a line of shell, and gives what it prints. */
  async run(line: string, limitMs: number = COMMAND_LIMIT_MS): Promise<Ended> {
    if (line.includes('\n')) throw new Error('a command is one line')
    this.#child.stdin!.write(`${line}\n`)
    const [before, word] = await this.#answer('\\d+', limitMs)
    return { output: before.replaceAll('\r', ''), code: Number(word) }
  }

  /** Starts a line of shell that goes on beside others. */
  async background(line: string): Promise<Background> {
    const id = ++this.#backgrounds
    await this.run(`( ${line} ) > /tmp/out${id} 2>&1 & pid${id}=$!`)
    return new Background(this, id)
  }

  /** Starts a line of shell in the folder of the user's files; what it prints goes to `onOutput`. */
  async program(line: string): Promise<Background> {
    const id = ++this.#backgrounds
    const quoted = `'${line.replaceAll("'", "'\\''")}'`
    await this.run(`( cd /files; exec setsid sh -c ${quoted} ) > /dev/ttyS1 2>&1 & pid${id}=$!`)
    return new Background(this, id)
  }

  /** Waits until `onOutput` has everything that was printed before. */
  async drained(): Promise<void> {
    const drained = new Promise<void>((resolve) => (this.#onDrained = resolve))
    await this.run(`echo @@${this.#mark} > /dev/ttyS1`)
    await drained
  }

  /** Gives an address a name. */
  async names(address: string, name: string): Promise<void> {
    await this.run(`echo ${address} ${name} >> /etc/hosts`)
  }

  /** Tells the kernel who has which addresses, so that nothing has to be resolved. */
  async knows({ ip4, ip6, mac }: Pick<GuestOptions, 'ip4' | 'ip6' | 'mac'>): Promise<void> {
    await this.set(...[ip4, ip6].map((each) => `neigh replace ${each.split('/')[0]} lladdr ${mac} dev eth0`))
  }

  get addresses(): Pick<GuestOptions, 'ip4' | 'ip6' | 'mac'> {
    return this.#options
  }

  /** Commands of ip. */
  private async set(...commands: readonly string[]): Promise<void> {
    const { code, output } = await this.run(commands.map((each) => `/programs/ip ${each}`).join(' && '))
    if (code !== 0) throw new Error(`${this.name}: ${output}`)
  }

  stop(): void {
    process.off('exit', this.#onStop)
    this.#options.signal?.removeEventListener('abort', this.#onStop)
    this.#child.kill('SIGKILL')
  }

  #print(text: string): void {
    const mark = `@@${this.#mark}\n`
    const [before = '', ...after] = (this.#held + text).split(mark)
    const last = after.length === 0 ? before : after.join('')
    let heldLength = Math.min(last.length, mark.length - 1)
    while (!mark.startsWith(last.slice(last.length - heldLength))) heldLength--
    this.#held = last.slice(last.length - heldLength)
    const printed = (after.length === 0 ? '' : before) + last.slice(0, last.length - heldLength)
    if (printed !== '') this.#options.onOutput?.(printed)
    if (after.length > 0) this.#onDrained()
  }

  /** Takes the text up to the next answer of the shell, and the word of the answer. */
  async #answer(word: string, limitMs: number): Promise<[string, string]> {
    const pattern = new RegExp(`@@${this.#mark} (${word})\\r?\\n`)
    const endMs = Date.now() + limitMs
    for (;;) {
      const match = pattern.exec(this.#text)
      if (match !== null) {
        const before = this.#text.slice(0, match.index)
        this.#text = this.#text.slice(match.index + match[0].length)
        return [before, match[1]!]
      }
      const leftMs = endMs - Date.now()
      const tail = `${this.name}: ${this.#text.slice(-1000)}`
      this.#options.signal?.throwIfAborted()
      if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new GuestError(`the guest has ended: ${tail}`)
      if (leftMs <= 0) throw new GuestError(`the guest gave no answer within ${limitMs} ms: ${tail}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}

/** The program that starts a guest, and its arguments. */
function commandOf(system: GuestSystem, options: GuestOptions, mark: string): [string, ...string[]] {
  const { ip4, ip6, mac, mtuBytes = 1500, localPort, remotePort, tcpPort } = options
  const words = [
    'console=ttyS0',
    'loglevel=3',
    'mitigations=off',
    'nokaslr',
    'tsc=reliable',
    'panic=-1',
    NO_TIMER_CHECK,
  ]
  const settings = [`rl.mtu=${mtuBytes}`, `rl.ip4=${ip4}`, `rl.ip6=${ip6}`, `rl.mark=${mark}`]
  const ends = [
    `remote.type=inet,remote.host=127.0.0.1,remote.port=${remotePort}`,
    `local.type=inet,local.host=127.0.0.1,local.port=${localPort}`,
  ]
  const memoryMb = MEMORY_MB + (system.memoryMb ?? 0)
  const machine = `-accel tcg -cpu max -M q35 -m ${memoryMb} -smp 1 -nodefaults -no-user-config -display none`
  const serial = '-serial stdio -chardev socket,id=output,fd=3 -serial chardev:output'
  const network = `virtio-net-pci,netdev=net,mac=${mac},csum=off,gso=off,host_mtu=9000,romfile=`
  const rules = `net=198.51.100.0/24,host=${HOST_IP4},hostfwd=tcp:127.0.0.1:${tcpPort}-${USER_IP4}:${SERVER_PORT}`
  const second =
    tcpPort === undefined
      ? ''
      : ` -netdev user,id=tcp,ipv6=off,${rules} -device virtio-net-pci,netdev=tcp,mac=52:54:00:00:01:01,romfile=`
  const links = `-netdev dgram,id=net,${ends.join(',')} -device ${network}${second}`
  const args = `--pdeathsig KILL qemu-system-x86_64 ${machine} ${serial} -no-reboot ${links}`.split(' ')
  const boot = ['-kernel', system.kernel, '-initrd', system.initrd, '-append', [...words, ...settings].join(' ')]
  return ['setpriv', ...args, ...boot]
}

/** A command that goes on in a guest. */
export class Background {
  readonly #guest: Guest
  readonly #id: number
  constructor(guest: Guest, id: number) {
    this.#guest = guest
    this.#id = id
  }

  async isRunning(): Promise<boolean> {
    return (await this.#guest.run(`kill -0 $pid${this.#id} 2> /tmp/none`)).code === 0
  }

  async output(): Promise<string> {
    return (await this.#guest.run(`cat /tmp/out${this.#id}`)).output
  }

  async kill(): Promise<void> {
    await this.#guest.run(`kill -9 $pid${this.#id}; wait $pid${this.#id}`)
  }

  /** Sends a signal to a program and all that it started. @param name without SIG */
  async signal(name: string): Promise<void> {
    await this.#guest.run(`kill -${name} -$pid${this.#id} 2> /tmp/none`)
  }

  /** Waits for its end. */
  async ended(limitMs: number = COMMAND_LIMIT_MS): Promise<Ended> {
    const { code } = await this.#guest.run(`wait $pid${this.#id}`, limitMs)
    return { output: await this.output(), code }
  }
}

/** Numbers of UDP ports of the loopback address that are free. */
export async function freeUdpPorts(count: number): Promise<number[]> {
  const sockets = Array.from({ length: count }, () => createSocket('udp4'))
  await Promise.all(sockets.map((socket) => new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))))
  const ports = sockets.map((socket) => socket.address().port)
  await Promise.all(sockets.map((socket) => new Promise<void>((done) => socket.close(done))))
  return ports
}
