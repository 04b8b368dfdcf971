//! What every plugin must do.

use gannet_thread as _;

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
