/// The connections of a reactor in chunks that never move, and its lists of idle ones: one for each
/// host and owner. An owner is a user of a closed load or a viewer, who has connections of its own;
/// another open load, or one that shares `connection.max` of them, has one owner. The one used last
/// is used next, so that the fewest are kept busy.
struct ConnectionPool: ~Copyable {
    private static let chunkSize = 64
    private var chunks: [ConnectionPointer] = []
    private var freeHead: Int32 = -1
    private(set) var count = 0
    /// By owner * hosts + host; -1: none is idle.
    private var idleHeads: [Int32] = []
    private let hosts: Int
    private(set) var idleCount = 0

    init(hosts: Int) { self.hosts = hosts }

    subscript(index: Int32) -> ConnectionPointer {
        chunks[Int(index) / Self.chunkSize] + Int(index) % Self.chunkSize
    }

    /// A free place.
    mutating func take() -> ConnectionPointer {
        if freeHead >= 0 {
            let connection = self[freeHead]
            freeHead = connection.pointee.next
            connection.pointee.next = -1
            return connection
        }
        if count % Self.chunkSize == 0 { chunks.append(.allocate(capacity: Self.chunkSize)) }
        let index = Int32(count)
        count += 1
        let connection = self[index]
        connection.initialize(to: Connection(index: index))
        return connection
    }

    mutating func giveBack(_ connection: ConnectionPointer) {
        connection.pointee.state = .free
        connection.pointee.serial &+= 1
        connection.pointee.next = freeHead
        freeHead = connection.pointee.index
    }

    // MARK: idle ones

    func hasIdle(owner: Int32) -> Bool {
        let first = Int(owner) * hosts
        guard first + hosts <= idleHeads.count else { return false }
        for list in first..<first + hosts where idleHeads[list] >= 0 { return true }
        return false
    }

    mutating func takeIdle(owner: Int32, host: Int32) -> ConnectionPointer? {
        let list = Int(owner) * hosts + Int(host)
        guard list < idleHeads.count, idleHeads[list] >= 0 else { return nil }
        let connection = self[idleHeads[list]]
        removeIdle(connection)
        return connection
    }

    mutating func addIdle(_ connection: ConnectionPointer) {
        let list = Int(connection.pointee.owner) * hosts + Int(connection.pointee.host)
        while idleHeads.count <= list { idleHeads.append(-1) }
        let head = idleHeads[list]
        if head >= 0 { self[head].pointee.previous = connection.pointee.index }
        connection.pointee.state = .idle
        connection.pointee.next = head
        connection.pointee.previous = -1
        idleHeads[list] = connection.pointee.index
        idleCount += 1
    }

    mutating func removeIdle(_ connection: ConnectionPointer) {
        let list = Int(connection.pointee.owner) * hosts + Int(connection.pointee.host)
        let (previous, next) = (connection.pointee.previous, connection.pointee.next)
        if previous >= 0 { self[previous].pointee.next = next } else { idleHeads[list] = next }
        if next >= 0 { self[next].pointee.previous = previous }
        connection.pointee.next = -1
        connection.pointee.previous = -1
        idleCount -= 1
    }

    /// Frees everything; the pool is empty afterwards.
    mutating func drain() {
        for index in 0..<Int32(count) {
            self[index].pointee.free()
            self[index].deinitialize(count: 1)
        }
        for chunk in chunks { chunk.deallocate() }
        chunks = []
        idleHeads = []
        count = 0
        idleCount = 0
        freeHead = -1
    }
}

/// Connections with an ask, in the order in which these were handed over: all have the same time,
/// so the first is the first to run out of it.
struct AskList {
    private var head: Int32 = -1
    private var tail: Int32 = -1

    func first(in pool: borrowing ConnectionPool) -> ConnectionPointer? {
        head < 0 ? nil : pool[head]
    }

    func next(_ connection: ConnectionPointer, in pool: borrowing ConnectionPool)
        -> ConnectionPointer?
    {
        connection.pointee.next < 0 ? nil : pool[connection.pointee.next]
    }

    mutating func append(_ connection: ConnectionPointer, in pool: borrowing ConnectionPool) {
        connection.pointee.next = -1
        connection.pointee.previous = tail
        if tail < 0 {
            head = connection.pointee.index
        } else {
            pool[tail].pointee.next = connection.pointee.index
        }
        tail = connection.pointee.index
    }

    mutating func remove(_ connection: ConnectionPointer, in pool: borrowing ConnectionPool) {
        let (previous, next) = (connection.pointee.previous, connection.pointee.next)
        if previous >= 0 { pool[previous].pointee.next = next } else { head = next }
        if next >= 0 { pool[next].pointee.previous = previous } else { tail = previous }
        connection.pointee.next = -1
        connection.pointee.previous = -1
    }
}
