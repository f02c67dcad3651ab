/**
 * Vocabulary: words of commands and outputs that stay in a redacted file. Everything else that has letters is a name.
 * All words for which readers search are in it (vocabulary.test.ts), and common words of the same outputs.
 */

const WORDS = `
aaa able abled above access accl ack acktimeouts action activate active activemtubytes ad adaptive adaptiveretries add
addr address admin adp advancedproperty advertised ae af after aging alert alias aliases all allowed alpha an and any
aos app apply apptrust are arp arpseconds aruba arubaos as asic assigned assist assured asym asymmetric at attrs auto
autoneg autonegotiate autonegotiates backup bad balance bandwidth banner bapp barefoot baser bbw bcma bdev bdrop becn
before below beos best beta big binterfaces bitmap blldptool block bmap bmatch bmtu bniccli bnxt bond boolean boot both
bparentbus bps brace breakout bridge brocade bstate buffer bufferbytes bufferofclass buffers bus bw by bytes byts cable
cablem cablesetafterpfc cached capabilities capability card carrier case cat cbs cc cee chain change changed channel
chassis cir cisco class classes classification classifier classifiers classifies classmtubytes cli closed closing clush
cma cmatclass cnp cnpclass cnpdscp cnphandled cnpignored cnpsent cntn code codes color colour columns command commands
completer comware config configuration configurations configure configured congestion connection context continuous
control copp cos count counted counter counters cpu crc crcerrors create crypto cs cumulus curl cvx cx da daemon data db
dc dcb dcbx dcqcn dd deactivate deadlock debug declare dee default defaults definition del delete description detail
detect detected detection detectionps dev device devices devinfo dflt diffserv dis disable disabled discard discards
display displayed dlb do document dog domain done dot down drop dropin dropinport dropout dropped drops dropsategress
dscp dscptoclass dump dup duplicate duplicates duration during dwrr dx dynamic each early echo ecmp ecn ecnmarked
ecnseen edaw edit ef effort egress eight elif else en ena enable enabled encapsulation encoding encodings end enhanced
entries env environment eof eos err error errors esac ess est et etc eth ether ethernet ethertypes ethtool ets event
events every evice evpn exact excd exceeded except excess exec execstart exit exos expedited explicit export exporter
extreme failed false family fc fcoe fcoeport fcs feature fec ffff fi field fifo fiftygige fill filter firewall firmware
fivegigabitethernet fiverbsdevice fiverbsgidindex fixed flexible flood floodslossless flow flowcontrol flowlet flush for
forced forwarding found fpc fpstd frames fte ftos ge generic get gid gids gigabitethernet gigether gin global
globalpauserxframes globalpauserxus globalpausetxframes globalpausetxus gm good green grep group groups guaranteed
guestshell half handled handler handshake hash hasheadroom haslldpad hasothercontrol hca header headroom headroombytes
headroommax headroomoversubscription headroomtable history hold host hosting hostname hosts http huawei hw hwif
hwifindiscards hwifinerrors hwifinoctets hwifinpausepkt hwifinpfc hwifoutoctets hwifoutpausepkt hwifoutpfc hwsku ib
ibdev ibv ice id ieee if iface ifconfig ifname ignored impl implicit implied impliednaks import in inactive index inet
inf infiniband infinite info ingress ini init input instance interface interfaces interpolate interval intf ionic ios ip
ipool ipv irf is isactive iscsi isheadroomdynamic isncclginon ispfcasymmetric isstormed isup iswatched iswilling itd its
job json junos kbit key kind km kmaxbytes kmaxratio kmgt kminbytes kminratio kvm label last latest layer learning len
length level libfabric limit limits line linecard lines link linkdowns linux list lld lldp lldpad lldpcli lldpctl lldpdu
lldptool lo loc local localhost localport logging login lookup loopback loss lossless lossy low lower ltv mac
macageseconds maintenance mana managed management many map mapping maps mark marked marker marks master match max
maximum mb mc mcast mellanox member memory metadata meter metrics mg mge mgmt mikrotik min minimum mlag mlnx mlx
mlxconfig mlxreg mmu mode model module more mpls mru ms mst mstreg mtu mtubytes multicast multiplier nak naks name
namespace naming nan nat native nccl ncclalgo ncclcrossnic ncclginibtc ncclgintype ncclibfifotc ncclibgidindex ncclibhca
ncclibretrycount ncclibtc ncclibtimeout ncclminchannels ncclpxndisable ndevs nee negotiate negotiation neighbor
neighbors neighbour net netadapter netdev netqos netqosflowcontrol network never new nic niccli nicctl nics no node
nodename nohup nokia non none nos not notification notify np npclasses nq nr ns null num number numbers nv nvidia
nvshmem nvshmemhcalist nvshmemibgidindex nvshmemibtc nvue nx object occupancy octets of off offset oid ok on only onyx
oos openflow oper operational operstate options or order os ot other out outbound outofbuffer outofsequence outouf
output over overflow override own packet packetization packets parameter parameters params parentdev partition passed
path pattern pause pausedqueue pauseframes pauserxtransitions pauserxus pauses pausetxus pausewatchdogps pbs pci
pciewritestallpercent pciewritestallseconds pciname pcp pcs pdsh pe ped peer peerpfcclasses per percent pfc pfcclasses
pfcmode pfcrxframes pfctxframes pfcwd pfcwritten pg pgid phy physical pic pir pkt pkts plane platform pmaxratio po point
points policies policing policy poll polling pollps pool poolname pools port portchannel portdescr portid
portpfcrxframes portpfctxframes portrxbytes ports portswitch porttxbytes post powershell pre precedence preconfigure
press prevention pri primary printenv printf prio priorities priority priorityvalue pripause probability profile
profilename profiles programmable protect protocol protocols provision pssh qaz qos qosprofile qoss quality query queue
queuemax queues queuing random range rate ratebps ratelimit rates ratio rbtcwpso rc rcv rcvd rdma rdmadevice rdmarxbytes
rdmatxbytes re read readonly receive received recommended record recovery red redis redundancy reg release rem remaining
remark reminder remote remotedevice remoteportdescr remoteportid repeat replace req request requester reservebytes resp
responder rest restart restoration restorationps restore restored retrans retransmits retranspackets retries retry
retryexceeded retx rewrite rgos rnr rnrnaks ro robin robustness roce role room root round route router routeros routing
row rows rp rpclasses rs rt ruijie rule rules run running runningconfiguration rx rxbufferhigh rxbytes rxe rxecnmrkd
rxpackets rxpfc rxppp rxudp sai sanitized schedule scheduler schedulers scp sec secondary security segment sel select
selective send sendsglobalpause sent seq seqnaks sequence server service session set sets settings sflow shaper shaping
share shared sharedheadroombytes sharedmax shell show shutdown side single six size sizebytes sla slice slot slow
slowrestarts snmp software sonic sp spare spec speed spray sr stack stalled standard start stat state states static
staticbytes statistic statistics stats status stomped stompedframes storm stormcutoff stormed storms stormwarnings
strict string stuck sub subscribe success sudo support sw switch switched switching switchname switchport swp symbol
symbolerrors sys sysfs sysfstclass sysname system table tagged tagging take takesglobalpause tc tcbw tclass te tee
telemetry template tengigabitethernet term test text th that the then there things thres threshold time timeout timer
timestamps timos tlv to toleratesreordering top tos toss total tout track traditional traffic trafficclass transceiver
transition transitions transmit transmitted transport tri trimmed true trunk trust tsa tunable tunnel turn
twogigabitethernet tx txbytes txpackets txpfc txppp txq txudp type uc ucast ucx ucxibgidindex ucxibtc ucxnetdevices
ucxrcretrycount ucxrctimeout udx uery uevent ufeff uname unapplied undefined under undo unicast unit unknown unprotect
unreachable unset untagged until untrusted up update us usage used user username using usr va value variables verb verbs
version virtual vl vlan vlanmode vlt vpc vpn vport vrf vrp vs vsan warning watch watchdog watermark wd wdrestores
wdstorms weight were when which while whole willing window windows wr wred wredcounters wreddrp write xe xle xmit xoff
xoffbytes xon xonbytes xonoffsetbytes xr yellow yes za zone
`

/** Words beside those that readers ask for, in outputs and in names that devices give by themselves. */
const BESIDE = `
forward sn broadcast dcs kmax levels shares parentbus dscps txt cfg conf log csv yaml yml prom tsv netdevs rd steer missed oversize unsupported op ctrl corrected shorted fw ver
guid image vendor part board lid lmc via rid day days chassisid sysdescr mgmtip ttl sm controlled unlimited cnt help
wait ticks had gauge untyped histogram summary second seconds cqe invalid adp retrans slow restart trans atomic
requests icrc encapsulated between byte cnps clamp tgt inc dce tcp udp rtt initial reduce monitor period first rpg ai
reset gd hai dec fac lifespan resume gbps mbps kbps gb kb tb scheduling inmcastoctets irdma macsec bypass capable
api applied absolute selector setting current kbytes mbytes cl high bios telephone docsis wlan repeater station br
priolevel shape qlimit units afd tail depth txpause txcount rxpause rxcount leafrouter spinerouter torrouter lanes
azure cap delay fragment zero synchronous hundredgige tengige twentyfivegige fortygige uplink versions database
region deployment cloudtype flat arista dell dellemc msn acs gen topo lag leak trig ingr drp wm cell margin buf egr
dismiss wrr hdrm etp downed legacy constraint unreliable datagram phys cur supports advertise sfp qsfp fibre copper
pair basetx passive enforced listen netns qlen qdisc mq noqueue fq codel brd fe llrs vnet
`

const KNOWN: ReadonlySet<string> = new Set(`${WORDS} ${BESIDE}`.split(/\s+/).filter((word) => word !== ''))

/** Numbers with a unit or an exponent, and names by which devices call ports and queues. */
const NUMBER = /^\d+(?:[kmgtpbswe]|[kmgt]i?b(?:ps)?|[kmgt]bit|[mun]s|x\d+)?$/i
const NAMED =
  /^(?:q\d{1,2}|nq\d|\d{1,2}q|[lt]\d|x86|en[opsx]\d{1,5}(?:s\d{1,3})?(?:f\d{1,3})?(?:d\d)?(?:np?\d{1,3})?|(?:pf|vf|np|v)\d{1,3})$/i
/** Numbers in hexadecimal of up to 32 bits, and longer masks, in which few digits are neither none nor all bits. */
const HEXADECIMAL = /^0x[0-9a-f]{1,16}$/i
const isMask = (digits: string): boolean => digits.length <= 8 || digits.replaceAll(/[0f]/gi, '').length <= 4
/** Models of switches: of them the size of buffers is known. */
const MODEL = /^(?:m?sn\d{4}[a-z]?|z\d{4}[a-z]?|\d{4}[a-z]{1,2}\d?|(?:[dc]\d{1,3}){1,2}|td\d|th\d|spc\d)$/i
/** Single letters that are options of commands, queues (c-out-8q-q3) and units. */
const LETTERS = /^[a-z]$/i

/** Whether a word of letters, digits and underscores tells nothing of whose network it is. */
export function isKnownWord(word: string): boolean {
  return word.split('_').every((part) => {
    if (NUMBER.test(part) || NAMED.test(part) || MODEL.test(part) || LETTERS.test(part)) return true
    if (HEXADECIMAL.test(part)) return isMask(part.slice(2))
    const letters = part.toLowerCase().match(/\D+/g) ?? []
    return letters.every((run) => KNOWN.has(run))
  })
}
