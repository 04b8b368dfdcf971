//! What every plugin must do.

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
