import CCurl

/// The libcurl that is linked.
package enum CurlLibrary {
    /// As "7.88.1"; libcurl itself says "libcurl/7.88.1 OpenSSL/3.0.15 …".
    package static var version: String {
        let words = String(cString: curl_version()).split(separator: " ")
        let name = words.first ?? ""
        return String(name.split(separator: "/").last ?? name)
    }
}
